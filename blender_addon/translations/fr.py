# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in French."""

TEXTS = {
    "A JSON value": "Une valeur JSON",
    "A Python literal": "Un littéral Python",
    "A position is needed: pixels of the region": (
        "Une position est requise : en pixels de la région"
    ),
    "A table with a line for each hit": "Un tableau avec une ligne par impact",
    "Active UV Map": "Carte UV active",
    "Add Empty": "Ajouter un objet vide",
    "Add an empty at the place that was hit, its Z axis along the normal": (
        "Ajouter un objet vide au point d’impact, son axe Z le long de la normale"
    ),
    "All Hits": "Tous les impacts",
    "All values of all hits": "Toutes les valeurs de tous les impacts",
    "Also what is behind the nearest hit": "Inclure ce qui est derrière l’impact le plus proche",
    "As plain numbers, as Python has them": "Comme de simples nombres, tels que Python les donne",
    "Attributes": "Attributs",
    "Automatic": "Automatique",
    "Away from Mouse": "Écart à la souris",
    "Back Faces": "Faces arrière",
    "Back Side": "Arrière",
    "Barycentric Weights": "Poids barycentriques",
    "Base mesh, not the sculpted level": "Maillage de base, pas le niveau sculpté",
    "Blender Units": "Unités Blender",
    "Cache Size": "Taille du cache",
    "Cache Size (MiB)": "Taille du cache (Mio)",
    "Cast Ray": "Lancer un rayon",
    "Cast a ray from a point in a direction and show what it hits": (
        "Lancer un rayon depuis un point dans une direction, et afficher ce qu’il touche"
    ),
    "Clear": "Effacer",
    "Clear History": "Effacer l’historique",
    "Color Attributes": "Attributs de couleur",
    "Compiled by Numba, which must be installed in Blender's Python": (
        "Compilé par Numba, qui doit être installé dans le Python de Blender"
    ),
    "Copied {} hits as JSON": "Impacts copiés en JSON : {}",
    "Copied: {}": "Copié : {}",
    "Copy All as JSON": "Tout copier en JSON",
    "Copy As": "Copier comme",
    "Copy Value": "Copier la valeur",
    "Copy all values of all hits of the last pick to the clipboard, as JSON": (
        "Copier toutes les valeurs de tous les impacts du dernier pointage dans le "
        "presse-papier, en JSON"
    ),
    "Copy this value to the clipboard, with all its digits": (
        "Copier cette valeur dans le presse-papier, avec tous ses chiffres"
    ),
    "Counted from the nearest, from 0 on": "Compté depuis le plus proche, à partir de 0",
    "Counted from the newest, from 0 on": "Compté depuis le plus récent, à partir de 0",
    "Cull Faces": "Ignorer",
    "Cursor to Hit": "Curseur sur l’impact",
    "Decimals": "Décimales",
    "Digits after the point that panels and labels show. What is copied has all": (
        "Nombre de décimales affichées dans les panneaux et les libellés. Les valeurs copiées "
        "les ont toutes"
    ),
    "Direction": "Direction",
    "Distance": "Distance",
    "Do not hit faces from behind": "Ne pas toucher les faces par-derrière",
    "Do not hit faces from the front": "Ne pas toucher les faces par-devant",
    "Do not leave this object out any more": "Ne plus exclure cet objet",
    "Draw a line from the world's origin to the point of a kept pick": (
        "Tracer une ligne de l’origine du monde au point d’un pointage conservé"
    ),
    "Dynamic topology changes the faces": "La topologie dynamique modifie les faces",
    "Edge": "Arête",
    "Element": "Élément",
    "End Inspection": "Arrêter",
    "Engine": "Moteur",
    "Evaluated Mesh": "Évalué",
    "Exactly what is under the mouse": "Exactement ce qui est sous la souris",
    "Export": "Exporter",
    "Export History": "Exporter l’historique",
    "Face": "Face",
    "Face Center": "Centre de la face",
    "Face Vertices": "Sommets de la face",
    "Face {}": "Face {}",
    "Faces may be missing before the modifier {}": (
        "Des faces peuvent manquer avant le modificateur {}"
    ),
    "Farther hits are none; 0 for no limit": (
        "Distance au-delà de laquelle rien n’est touché ; 0 pour ne pas limiter"
    ),
    "Forget all picks. What was saved with the file stays in it": (
        "Oublier tous les pointages. Ceux enregistrés avec le fichier y restent"
    ),
    "Format": "Format",
    "Frame in View": "Cadrer",
    "From the start of the ray: the eye of a perspective view, the near clip plane of an "
    "orthographic one": (
        "Depuis le départ du rayon : l’œil en vue perspective, le plan de découpage proche en "
        "vue orthogonale"
    ),
    "Front Faces": "Faces avant",
    "Front Side": "Avant",
    "Hidden objects are not picked.": "Les objets cachés sont ignorés.",
    "History": "Historique",
    "Hit": "Impact",
    "Hit both sides of faces": "Toucher les deux côtés des faces",
    "Hit {} of {} in {:.2f} ms": "Impact {} sur {} en {:.2f} ms",
    "Hits": "Impacts",
    "How far from the mouse that may be": (
        "Distance maximale entre la souris et l’élément d’aimantation"
    ),
    "How many hits further away": "De combien d’impacts s’éloigner",
    "How many pixels beside the mouse the point is seen: nothing nearer was under it": (
        "À combien de pixels de la souris le point est vu : rien de plus proche n’était sous elle"
    ),
    "How panels and labels show lengths and points": (
        "Comment les panneaux et les libellés affichent les longueurs et les points"
    ),
    "Index Of": "Indice de",
    "Index of the face in the mesh that was hit; by default that is the evaluated one, with "
    "its modifiers": (
        "Indice de la face dans le maillage touché ; par défaut le maillage évalué, avec ses "
        "modificateurs"
    ),
    "Index of the triangle among the mesh's triangles": "Indice du triangle parmi ceux du maillage",
    "Indexing": "Indexation",
    "Inspect": "Inspecter",
    "Instance": "Instance",
    "Instancer": "Instancieur",
    "Its index, from 0 on": "Son indice, à partir de 0",
    "Its nearest edge": "Son arête la plus proche",
    "Its nearest vertex": "Son sommet le plus proche",
    "Keep, Again for What Is Behind": "Garder, recliquer pour voir derrière",
    "Kept Triangle": "Triangle gardé",
    "Key of the Value": "Valeur",
    "Keymap": "Ensemble de raccourcis",
    "Label": "Libellé",
    "Leave Out": "Exclure",
    "Leave out objects that are displayed as wire or bounds, and their instances": (
        "Exclure les objets affichés en « Filaire » ou « Limites », et leurs instances"
    ),
    "Leave out what a click cannot select": "Exclure ce qu’un clic ne peut pas sélectionner",
    "Leave out what the viewport leaves out: nearer than Clip Start, beyond End, outside the "
    "clipping region, or a back face where these are culled": (
        "Exclure ce que la vue n’affiche pas : plus proche que « Découpage, début », plus loin "
        "que « Fin », hors de la région de découpage, ou les faces arrière si la vue les supprime"
    ),
    "Leave the selected objects out of picks; with none selected, the one that was hit": (
        "Exclure des pointages les objets sélectionnés ; si aucun ne l’est, celui qui a été touché"
    ),
    "Left Out": "Objets exclus",
    "Lengths": "Longueurs",
    "Library": "Bibliothèque",
    "Line from World Origin": "Ligne depuis l’origine du monde",
    "Look Away": "Ne plus regarder",
    "Look at Hit": "Voir l’impact",
    "Look at the next hit of the pick: what is behind it, or before it": (
        "Voir l’impact suivant du pointage : ce qui est derrière, ou devant"
    ),
    "Look under Mouse": "Regarder sous la souris",
    "Looking again": "Nouvelle recherche",
    "Made by the modifier {}": "Créée par le modificateur {}",
    "Material": "Matériau",
    "Maximum Distance": "Distance maximum",
    "Memory Held": "Mémoire occupée",
    "Memory for meshes that were picked, in MiB. The least recently used are let go first, and "
    "read again when they are needed": (
        "Mémoire pour les maillages pointés, en Mio. Les moins récemment utilisés sont libérés "
        "en premier, et relus au besoin"
    ),
    "Mesh": "Maillage",
    "Meshes Held": "Maillages en mémoire",
    "None": "Aucun",
    "Normal": "Normale",
    "Normal in World Space": "Normale en espace monde",
    "Not picked: {}": "Non pointé : {}",
    "Nothing has been hit yet": "Aucun impact pour l’instant",
    "Nothing hit": "Aucun impact",
    "Nothing is kept": "Aucun pointage gardé",
    "Nothing is selected, and nothing has been hit yet": (
        "Aucun objet sélectionné, et aucun impact pour l’instant"
    ),
    "Nothing was picked yet": "Aucun pointage pour l’instant",
    "NumPy alone": "NumPy seul",
    "Numba is not installed in Blender's Python": (
        "Numba n’est pas installé dans le Python de Blender"
    ),
    "Numba where it is installed, or else NumPy": "Numba s’il est installé, sinon NumPy",
    "Number of the Pick": "Numéro",
    "Numbers and names, separated by commas": "Nombres et noms, séparés par des virgules",
    "Object": "Objet",
    "Only in a 3D viewport": "Seulement dans une vue 3D",
    "Only in edit mode": "Seulement en mode édition",
    "Only in object mode": "Seulement en mode objet",
    "Options": "Options",
    "Original Face": "Face d’origine",
    "Original Mesh": "Original",
    "Overlays": "Surimpressions",
    "Performance": "Performance",
    "Pick under Mouse": "Pointer sous la souris",
    "Pixel of the region, from its bottom left corner; its center is picked": (
        "Pixel de la région, depuis son coin inférieur gauche ; son centre est pointé"
    ),
    "Plain Text": "Texte brut",
    "Point": "Point",
    "Point at anything": "Pointer un objet",
    "Point in Local Space": "Point en espace local",
    "Point in World Space": "Point en espace monde",
    "Position": "Position",
    "Put the 3D cursor to the place that was hit, its Z axis along the normal": (
        "Placer le curseur 3D au point d’impact, son axe Z le long de la normale"
    ),
    "Radius": "Rayon",
    "Rank": "Rang",
    "Ray": "Rayon lancé",
    "Ray Origin": "Origine",
    "Save History with File": "Enregistrer l’historique avec le fichier",
    "Save with File": "Joindre au fichier",
    "Scene Units": "Unités de la scène",
    "Select Element": "Sélectionner l’élément",
    "Select Object": "Sélectionner l’objet",
    "Select the face that was hit, or its edge or vertex nearest to the place": (
        "Sélectionner la face touchée, ou son arête ou son sommet le plus proche du point d’impact"
    ),
    "Select the object that was hit and make it active; for an instance that stands in no "
    "collection of its own, the object that makes it": (
        "Sélectionner l’objet touché et le rendre actif ; pour une instance qui n’est elle-même "
        "dans aucune collection, l’objet qui la crée"
    ),
    "Selectable Only": "Sélectionnables uniquement",
    "Session UID": "UID de session",
    "Shading Normal": "Normale d’ombrage",
    "Show Pick": "Afficher le pointage",
    "Show Place": "Afficher un point",
    "Show exactly what is under the mouse: object, face, triangle, barycentrics, UV.\nClick to "
    "keep it, click again or turn the wheel with Ctrl for what is behind it.\nHair curves, "
    "point clouds, Grease Pencil and volumes have no faces and are not picked": (
        "Afficher exactement ce qui est sous la souris : objet, face, triangle, poids "
        "barycentriques, UV.\nCliquer pour le garder, recliquer ou tourner la molette avec Ctrl "
        "pour voir ce qui est derrière.\nLes courbes de cheveux, nuages de points, Grease Pencil "
        "et volumes n’ont pas de faces et ne sont pas pointés"
    ),
    "Show exactly which face, triangle and place is under the mouse. Again at the same place: "
    "what is behind it": (
        "Afficher exactement quelle face, quel triangle et quel point sont sous la souris. À "
        "nouveau au même endroit : ce qui est derrière"
    ),
    "Show nothing under the mouse any more when it is not over a 3D viewport": (
        "Ne plus rien afficher sous la souris quand elle n’est pas sur une vue 3D"
    ),
    "Show the place that an object, a face or triangle and barycentric weights name: the "
    "inverse of a pick": (
        "Afficher le point désigné par un objet, une face ou un triangle, et des poids "
        "barycentriques : l’inverse d’un pointage"
    ),
    "Show this hit in the panels and in the viewport": (
        "Afficher cet impact dans les panneaux et dans la vue 3D"
    ),
    "Show this pick again, as it was": "Afficher à nouveau ce pointage, tel qu’il était",
    "Show what is under the mouse, as long as the tool is used": (
        "Afficher ce qui est sous la souris, tant que l’outil est utilisé"
    ),
    "Show what is under the moving mouse: outline, vertices and label in the viewport, all "
    "else in the sidebar. Again to end": (
        "Afficher en continu ce qui est sous la souris : contour, sommets et libellé dans la vue "
        "3D, tout le reste dans la barre latérale. Relancer pour arrêter"
    ),
    "Side Hit": "Côté",
    "Sides that are not hit": "Côtés des faces qui ne sont pas touchés",
    "Snap": "Aimanter",
    "Snap Radius": "Rayon d’aimantation",
    "Solid Only": "Solides uniquement",
    "Step": "Pas",
    "Take In Again": "Ne plus exclure",
    "Take the kept pick off the viewport and the panels. The history keeps it": (
        "Retirer le pointage gardé de la vue 3D et des panneaux. Il reste dans l’historique"
    ),
    "Text": "Texte",
    "The UV map at the place hit": "Carte UV au point d’impact",
    "The active UV map at the place hit": "Carte UV active au point d’impact",
    "The active collection is linked from a library": (
        "La collection active est liée depuis une bibliothèque"
    ),
    "The attribute at the place hit": "Attribut au point d’impact",
    "The attribute {} names no face here": "L’attribut {} ne désigne aucune face ici",
    "The color attribute at the place hit, in linear color": (
        "Attribut de couleur au point d’impact, en couleur linéaire"
    ),
    "The face is hidden": "La face est masquée",
    "The face is not there any more: pick again": "La face n’existe plus : pointer à nouveau",
    "The face is split into other triangles": "La face est découpée en d’autres triangles",
    "The face that was hit": "La face touchée",
    "The face under the mouse": "La face sous la souris",
    "The face without modifiers is not known": "La face sans modificateurs n’est pas connue",
    "The face without modifiers that it comes from, or why that cannot be told": (
        "Face dont elle provient avant les modificateurs, ou pourquoi on ne peut pas la déterminer"
    ),
    "The face's nearest vertex": "Le sommet de la face le plus proche",
    "The file that the object is linked from": "Le fichier depuis lequel l’objet est lié",
    "The index is that of a face": "L’indice est celui d’une face",
    "The index is that of a triangle": "L’indice est celui d’un triangle",
    "The index of the face": "Indice de la face",
    "The index of the triangle": "Indice du triangle",
    "The instance is not visible": "L’instance n’est pas visible",
    "The instance's persistent id, numbers separated by commas": (
        "L’identifiant persistant de l’instance, en nombres séparés par des virgules"
    ),
    "The material of the face": "Matériau de la face",
    "The mesh is made for instances or by another type of object": (
        "Le maillage est créé pour des instances ou par un autre type d’objet"
    ),
    "The mesh stores nothing there": "Le maillage n’y stocke rien",
    "The mesh that is seen, with modifiers and shape keys": (
        "Le maillage tel qu’affiché, avec les modificateurs et les clés de forme"
    ),
    "The middle of the face's vertices": "Le milieu des sommets de la face",
    "The modifier {} changes the faces": "Le modificateur {} modifie les faces",
    "The modifier {} copies an unknown number of faces": (
        "Le modificateur {} copie un nombre inconnu de faces"
    ),
    "The modifier {} makes faces of its own": "Le modificateur {} crée ses propres faces",
    "The modifiers make other faces than their settings tell": (
        "Les modificateurs créent d’autres faces que ne l’indiquent leurs réglages"
    ),
    "The mouse must be over a 3D viewport": "La souris doit être au-dessus d’une vue 3D",
    "The nearest place on the face's edges": "Le point le plus proche sur les arêtes de la face",
    "The normal at the place": "La normale au point d’impact",
    "The object has no mesh of its own": "L’objet n’a pas de maillage propre",
    "The object is not in edit mode": "L’objet n’est pas en mode édition",
    "The object is not in the view layer": "L’objet n’est pas dans le calque de vue",
    "The object is not there any more": "L’objet n’existe plus",
    "The object is not visible": "L’objet n’est pas visible",
    "The object that is hit, and its instance": "L’objet touché, et son instance",
    "The object that made the instance": "L’objet qui a créé l’instance",
    "The object that made the instance, and the instance's persistent id": (
        "Objet qui a créé l’instance, et ID persistant de celle-ci"
    ),
    "The object whose mesh it is": "Objet auquel appartient le maillage",
    "The object whose mesh was hit": "Objet dont le maillage a été touché",
    "The object's ID in this session": "L’identifiant de l’objet dans cette session",
    "The object's own mesh, without modifiers and shape keys": (
        "Le maillage propre à l’objet, sans modificateurs ni clés de forme"
    ),
    "The pick was made in another scene": "Le pointage a été fait dans une autre scène",
    "The place hit, in the local space of the object": (
        "Point d’impact, dans l’espace local de l’objet"
    ),
    "The place hit, in world space": "Point d’impact, en espace monde",
    "The place that was hit": "Le point d’impact",
    "The ray of a kept pick": "Le rayon d’un pointage gardé",
    "The same triangle, counted within its face from 0 on": (
        "Le même triangle, compté dans sa face à partir de 0"
    ),
    "The topology of the mesh has changed": "La topologie du maillage a changé",
    "The triangle has no area": "Le triangle n’a pas d’aire",
    "The triangle of a kept pick": "Le triangle d’un pointage gardé",
    "The triangle's three vertices A, B, C in the mesh": (
        "Les trois sommets A, B, C du triangle dans le maillage"
    ),
    "The triangle's unit normal, in world space": "Normale unitaire du triangle, en espace monde",
    "The unit normal that the place is shaded with, in world space": (
        "Normale unitaire utilisée pour l’ombrage de ce point, en espace monde"
    ),
    "The values are those of the pick": "Les valeurs sont celles du pointage",
    "The vertices of the whole face, in the order of its corners": (
        "Sommets de la face entière, dans l’ordre de ses coins"
    ),
    "The weight of the vertex group at the place hit": (
        "Poids du groupe de sommets au point d’impact"
    ),
    "The weights of the triangle's vertices": "Poids des sommets du triangle",
    "There is no 3D viewport in this window": "Aucune vue 3D dans cette fenêtre",
    "There is no other hit": "Aucun autre impact",
    "There is no visible face there.": "Aucune face visible à cet endroit.",
    "This pick is not remembered any more": "Ce pointage n’est plus dans l’historique",
    "Time": "Temps",
    "Tolerance": "Tolérance",
    "Triangle": "Triangle",
    "Triangle of Face": "Triangle de la face",
    "Triangle {}": "Triangle {}",
    "Turn the view to the place": "Orienter la vue vers ce point",
    "Turn the view to the place that was hit": "Orienter la vue vers le point d’impact",
    "UV Maps": "Cartes UV",
    "Under the Mouse": "Sous la souris",
    "Values": "Valeurs",
    "Vertex": "Sommet",
    "Vertex Groups": "Groupes de sommets",
    "Vertices": "Sommets",
    "Visible Only": "Visibles uniquement",
    "Walk through Hits": "Parcourir les impacts",
    "Weights of the triangle's vertices A, B, C; the three add up to 1": (
        "Poids des sommets A, B, C du triangle ; leur somme est égale à 1"
    ),
    "Weights of the triangle's vertices A, B, C; the three must add up to 1": (
        "Poids des sommets A, B, C du triangle ; leur somme doit être égale à 1"
    ),
    "What computes the answers, which are the same whichever it is": (
        "Ce qui calcule les résultats, qui sont identiques dans tous les cas"
    ),
    "What is selected": "Ce qui est sélectionné",
    "What the copy buttons put on the clipboard": (
        "Ce que les boutons de copie placent dans le presse-papier"
    ),
    "What the file holds": "Ce que contient le fichier",
    "What the index counts": "Ce que compte l’indice",
    "What the label beside the mouse tells": "Ce qu’indique le libellé à côté de la souris",
    "What the place that is hit snaps to, on the face under the mouse": (
        "Élément de la face sous la souris sur lequel aimanter le point d’impact"
    ),
    "Wheel: Walk through the Hits": "Molette : parcourir les impacts",
    "Where nothing is under the mouse, or only something farther away, pick the nearest thing "
    "within this many pixels; 0 to pick exactly what is under the mouse": (
        "Si rien, ou seulement quelque chose de plus lointain, n’est sous la souris, relever ce "
        "qui est le plus proche dans ce nombre de pixels ; 0 pour relever exactement ce qui est "
        "sous la souris"
    ),
    "Where the ray goes, in world space; any length above 0": (
        "Direction du rayon, en espace monde ; de n’importe quelle longueur supérieure à 0"
    ),
    "Where the ray starts, in world space": "Départ du rayon, en espace monde",
    "Whether the face was hit from the front or from behind": (
        "Indique si la face a été touchée par-devant ou par-derrière"
    ),
    "Which mesh is hit, and whose faces are counted": (
        "Maillage qui est touché, et dont les faces sont comptées"
    ),
    "Which of the face's triangles the weights belong to, from 0 on": (
        "Celui des triangles de la face auquel les poids se rapportent, à partir de 0"
    ),
    "With the units and the scale that the scene is set to": (
        "Avec les unités et l’échelle définies dans la scène"
    ),
    "Write the history to a file, with all digits": (
        "Écrire l’historique dans un fichier, avec tous les chiffres"
    ),
    "Write the picks that were made in this file into its scene, so that they are saved and "
    "loaded with it": (
        "Écrire dans la scène les pointages faits dans ce fichier, pour qu’ils soient "
        "enregistrés et chargés avec lui"
    ),
    "Wrote {} picks": "Pointages écrits : {}",
    "and click with the Raypick tool": "et cliquer avec l’outil Raypick",
    "and press {}": "et appuyer sur {}",
    "and {} more": "et {} de plus",
    "or click with the Raypick tool": "ou cliquer avec l’outil Raypick",
    "{} of {}": "{} sur {}",
    "{} picks are saved with the file": "Pointages enregistrés avec le fichier : {}",
    "{} px away": "à {} px",
    "{}: face {}, triangle {}, barycentric ({})": (
        "{} : face {}, triangle {}, poids barycentriques ({})"
    ),
}
