# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in French."""

TEXTS = {
    "A JSON value": "Une valeur JSON",
    "A Python literal": "Un littéral Python",
    "A newer Raypick saved the history in this file": (
        "Un Raypick plus récent a enregistré l’historique de ce fichier"
    ),
    "A position is needed: pixels of the region": (
        "Une position est requise : en pixels de la région"
    ),
    "A table with a line for each hit; a name like =A1 is written as '=A1": (
        "Un tableau avec une ligne par impact ; un nom comme =A1 est écrit '=A1"
    ),
    "Active UV Map": "Carte UV active",
    "Add Empty": "Ajouter un objet vide",
    "Add an empty at the hit point, with its Z axis along the normal": (
        "Ajouter un objet vide au point d’impact, son axe Z le long de la normale"
    ),
    "All Hits": "Tous les impacts",
    "All values of all hits, with all names as they are": (
        "Toutes les valeurs de tous les impacts, avec tous les noms tels quels"
    ),
    "Attributes": "Attributs",
    "Automatic": "Automatique",
    "Back Faces": "Faces arrière",
    "Back Side": "Arrière",
    "Barycentric Weights": "Poids barycentriques",
    "Base mesh, not the sculpted level": "Maillage de base, pas le niveau sculpté",
    "Blender Units": "Unités Blender",
    "Cache Memory": "Mémoire du cache",
    "Cache Size": "Taille du cache",
    "Cache Size (MiB)": "Taille du cache (Mio)",
    "Cached Meshes": "Maillages en cache",
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
    "Contents of the file": "Ce que contient le fichier",
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
    "Cull Faces": "Ignorer",
    "Cursor to Hit": "Curseur sur l’impact",
    "Cycle through Hits": "Parcourir les impacts",
    "Decimals": "Décimales",
    "Digits after the decimal point in panels and labels. Copied values have all digits": (
        "Nombre de décimales affichées dans les panneaux et les libellés. Les valeurs copiées "
        "les ont toutes"
    ),
    "Direction": "Direction",
    "Distance": "Distance",
    "Distance from Mouse": "Distance à la souris",
    "Distance from the origin of the ray: the eye of a perspective view, the near clip plane "
    "of an orthographic one": (
        "Distance depuis l’origine du rayon : l’œil en vue perspective, le plan de découpage "
        "proche en vue orthogonale"
    ),
    "Do not snap": "Ne pas aimanter",
    "Draw a line from the world's origin to the point of a kept pick": (
        "Tracer une ligne de l’origine du monde au point d’un pointage conservé"
    ),
    "Dynamic topology changes the faces": "La topologie dynamique modifie les faces",
    "Edge": "Arête",
    "Element": "Élément",
    "Element of the face under the mouse to snap the hit to": (
        "Élément de la face sous la souris sur lequel aimanter le point d’impact"
    ),
    "Element that the index refers to": "Élément auquel se rapporte l’indice",
    "End Hover": "Fin du survol",
    "End Inspection": "Arrêter",
    "Engine": "Moteur",
    "Evaluated Mesh": "Évalué",
    "Exclude": "Exclure",
    "Exclude the selected objects from picking or, with none selected, the object that was hit": (
        "Exclure des pointages les objets sélectionnés ou, sans sélection, l’objet touché"
    ),
    "Excluded Objects": "Objets exclus",
    "Export": "Exporter",
    "Export History": "Exporter l’historique",
    "Face": "Face",
    "Face Center": "Centre de la face",
    "Face Vertices": "Sommets de face",
    "Face {}": "Face {}",
    "Faces may be missing before the modifier {}": (
        "Des faces peuvent manquer avant le modificateur {}"
    ),
    "Find everything behind the nearest hit too": (
        "Inclure ce qui est derrière l’impact le plus proche"
    ),
    "Format": "Format",
    "Format of the values that the copy buttons put on the clipboard": (
        "Ce que les boutons de copie placent dans le presse-papier"
    ),
    "Frame in View": "Cadrer",
    "Front Faces": "Faces avant",
    "Front Side": "Avant",
    "Hidden objects are not picked.": "Les objets cachés sont ignorés.",
    "History": "Historique",
    "Hit": "Impact",
    "Hit both sides of faces": "Toucher les deux côtés des faces",
    "Hit {} of {} in {:.2f} ms": "Impact {} sur {} en {:.2f} ms",
    "Hits": "Impacts",
    "Hover": "Survoler",
    "How panels and labels show lengths and points": (
        "Comment les panneaux et les libellés affichent les longueurs et les points"
    ),
    "Ignore back faces": "Ignorer les faces arrière",
    "Ignore front faces": "Ignorer les faces avant",
    "Ignore hits farther away than this; 0 for no limit": (
        "Ignorer les impacts plus éloignés ; 0 pour ne pas limiter"
    ),
    "Ignore objects displayed as wire or bounds, and their instances": (
        "Exclure les objets affichés en « Filaire » ou « Limites », et leurs instances"
    ),
    "Ignore objects that cannot be selected": "Exclure ce qu’un clic ne peut pas sélectionner",
    "Ignore what the viewport does not draw: nearer than Clip Start, beyond Clip End, outside "
    "the clipping region, or back faces where these are culled": (
        "Exclure ce que la vue n’affiche pas : plus proche que « Découpage, début », plus loin "
        "que « Fin », hors de la région de découpage, ou les faces arrière si la vue les supprime"
    ),
    "In the units and the unit scale of the scene": (
        "Avec les unités et l’échelle définies dans la scène"
    ),
    "Include": "Inclure",
    "Index Of": "Indice de",
    "Index of a face": "Indice d’une face",
    "Index of a triangle": "Indice d’un triangle",
    "Index of the face in the mesh that was hit; by default that is the evaluated one, with "
    "its modifiers": (
        "Indice de la face dans le maillage touché ; par défaut le maillage évalué, avec ses "
        "modificateurs"
    ),
    "Index of the triangle among the mesh's triangles": "Indice du triangle parmi ceux du maillage",
    "Index of the triangle within its face, starting at 0": (
        "Indice du triangle dans sa face, à partir de 0"
    ),
    "Index, starting at 0": "Indice, à partir de 0",
    "Indexing": "Indexation",
    "Indices of the triangle's vertices A, B, C in the mesh": (
        "Indices des sommets A, B, C du triangle dans le maillage"
    ),
    "Indices of the vertices of the whole face, in the order of its corners": (
        "Indices des sommets de la face entière, dans l’ordre de ses coins"
    ),
    "Inspect": "Inspecter",
    "Instance": "Instance",
    "Instancer": "Instancieur",
    "Its nearest edge": "Son arête la plus proche",
    "Its nearest vertex": "Son sommet le plus proche",
    "Keep": "Garder",
    "Kept Triangle": "Triangle gardé",
    "Key of the Value": "Valeur",
    "Keymap": "Ensemble de raccourcis",
    "Label": "Libellé",
    "Lengths": "Longueurs",
    "Library": "Bibliothèque",
    "Library file that the object is linked from": "Le fichier depuis lequel l’objet est lié",
    "Line from World Origin": "Ligne depuis l’origine du monde",
    "Made by the modifier {}": "Créée par le modificateur {}",
    "Material": "Matériau",
    "Max Distance": "Distance max",
    "Maximum distance from the mouse to snap over": (
        "Distance maximale entre la souris et l’élément d’aimantation"
    ),
    "Memory for picked meshes, in MiB. The least recently used are freed first, and read again "
    "when needed": (
        "Mémoire pour les maillages pointés, en Mio. Les moins récemment utilisés sont libérés "
        "en premier, et relus au besoin"
    ),
    "Mesh": "Maillage",
    "Mesh to hit, and whose indices to show": "Maillage à toucher, et dont afficher les indices",
    "Next Hit": "Impact suivant",
    "No picks yet": "Aucun pointage pour l’instant",
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
    "NumPy only": "NumPy seul",
    "Numba if it is installed, otherwise NumPy": "Numba s’il est installé, sinon NumPy",
    "Numba is not installed in Blender's Python": (
        "Numba n’est pas installé dans le Python de Blender"
    ),
    "Number of hits to move on by": "De combien d’impacts s’éloigner",
    "Number of the Pick": "Numéro",
    "Number of the hit, counted from the nearest, starting at 0": (
        "Numéro de l’impact, compté depuis le plus proche, à partir de 0"
    ),
    "Number of the pick, counted from the newest, starting at 0": (
        "Numéro du pointage, compté depuis le plus récent, à partir de 0"
    ),
    "Numbers and names, separated by commas": "Nombres et noms, séparés par des virgules",
    "Object": "Objet",
    "Object that creates the instance": "L’objet qui a créé l’instance",
    "Object that the mesh belongs to": "Objet auquel appartient le maillage",
    "Only in a 3D viewport": "Seulement dans une vue 3D",
    "Only in edit mode": "Seulement en mode édition",
    "Only in object mode": "Seulement en mode objet",
    "Options": "Options",
    "Original Face": "Face d’origine",
    "Original Mesh": "Original",
    "Overlays": "Surimpressions",
    "Performance": "Performance",
    "Persistent ID of the instance: numbers separated by commas": (
        "L’identifiant persistant de l’instance, en nombres séparés par des virgules"
    ),
    "Pick under Mouse": "Pointer sous la souris",
    "Picked in another scene": "Pointé dans une autre scène",
    "Picks saved in this file that cannot be read: {}": (
        "Pointages enregistrés dans ce fichier et illisibles : {}"
    ),
    "Pixel of the region, from its bottom left corner; its center is picked": (
        "Pixel de la région, depuis son coin inférieur gauche ; son centre est pointé"
    ),
    "Plain Text": "Texte brut",
    "Plain numbers, as in Python": "Comme de simples nombres, tels que Python les donne",
    "Point": "Point",
    "Point at anything": "Pointer un objet",
    "Point in Local Space": "Point en espace local",
    "Point in World Space": "Point en espace monde",
    "Position": "Position",
    "Radius": "Rayon",
    "Rank": "Rang",
    "Ray": "Rayon lancé",
    "Ray Origin": "Origine",
    "Raypick is already enabled as {}, so this copy stays disabled": (
        "Raypick est déjà activé sous le nom {}, donc cette copie reste désactivée"
    ),
    "Remove Pick": "Retirer le pointage",
    "Remove all picks from the history. Those saved with the file stay in the file": (
        "Retirer tous les pointages de l’historique. Ceux enregistrés avec le fichier y restent"
    ),
    "Remove the kept pick from the viewport and the panels. It stays in the history": (
        "Retirer le pointage gardé de la vue 3D et des panneaux. Il reste dans l’historique"
    ),
    "Remove this pick from the history. If it was saved with the file, it stays in the file": (
        "Retirer ce pointage de l’historique. S’il a été enregistré avec le fichier, il y reste"
    ),
    "Save History with File": "Enregistrer l’historique avec le fichier",
    "Save with File": "Joindre",
    "Scene Units": "Unités de la scène",
    "Screen distance from the mouse to the hit, in pixels": (
        "Distance à l’écran entre la souris et l’impact, en pixels"
    ),
    "Select Element": "Sélectionner l’élément",
    "Select Object": "Sélectionner l’objet",
    "Select the face that was hit, or its edge or vertex nearest to the hit point": (
        "Sélectionner la face touchée, ou son arête ou son sommet le plus proche du point d’impact"
    ),
    "Select the object that was hit and make it active; for an instance, the object that "
    "creates it": (
        "Sélectionner l’objet touché et le rendre actif ; pour une instance, l’objet qui la crée"
    ),
    "Selectable Only": "Sélectionnables",
    "Session UID": "UID de session",
    "Shading Normal": "Normale d’ombrage",
    "Show Hit": "Afficher l’impact",
    "Show Pick": "Afficher le pointage",
    "Show Place": "Afficher un point",
    "Show exactly what is under the mouse: object, face, triangle, barycentric weights, UV.\n"
    "Click to keep it; click again, or scroll with Ctrl, for what is behind it.\nHair curves, "
    "point clouds, Grease Pencil and volumes have no faces and are not picked": (
        "Afficher exactement ce qui est sous la souris : objet, face, triangle, poids "
        "barycentriques, UV.\nCliquer pour le garder, recliquer ou tourner la molette avec Ctrl "
        "pour voir ce qui est derrière.\nLes courbes de cheveux, nuages de points, Grease Pencil "
        "et volumes n’ont pas de faces et ne sont pas pointés"
    ),
    "Show exactly which face, triangle and point is under the mouse. Pick the same place again "
    "for what is behind it": (
        "Afficher exactement quelle face, quel triangle et quel point sont sous la souris. "
        "Pointer à nouveau au même endroit pour voir ce qui est derrière"
    ),
    "Show the next hit of the pick, behind this one, or the previous one": (
        "Afficher l’impact suivant du pointage, derrière celui-ci, ou le précédent"
    ),
    "Show the place given by an object, a face or triangle, and barycentric weights: the "
    "inverse of picking": (
        "Afficher le point désigné par un objet, une face ou un triangle, et des poids "
        "barycentriques : l’inverse d’un pointage"
    ),
    "Show this hit in the panels and in the viewport": (
        "Afficher cet impact dans les panneaux et dans la vue 3D"
    ),
    "Show this pick again, where its triangle is now": (
        "Afficher à nouveau ce pointage, là où est maintenant son triangle"
    ),
    "Show what is under the mouse as it moves: outline, vertices and label in the viewport, "
    "everything else in the sidebar. Run again to end": (
        "Afficher en continu ce qui est sous la souris : contour, sommets et libellé dans la vue "
        "3D, tout le reste dans la barre latérale. Relancer pour arrêter"
    ),
    "Show what is under the mouse while the tool is active": (
        "Afficher ce qui est sous la souris, tant que l’outil est utilisé"
    ),
    "Side Hit": "Côté",
    "Sides of faces to ignore": "Côtés des faces à ignorer",
    "Snap": "Aimanter",
    "Snap Radius": "Rayon d’aimantation",
    "Snap the 3D cursor to the hit point, with its Z axis along the normal": (
        "Placer le curseur 3D au point d’impact, son axe Z le long de la normale"
    ),
    "Solid Only": "Solides",
    "Step": "Pas",
    "Stop excluding this object from picking": "Ne plus exclure cet objet des pointages",
    "Stop showing what is under the mouse when it leaves the 3D viewport": (
        "Ne plus rien afficher sous la souris quand elle quitte la vue 3D"
    ),
    "Store the picks made in this file in its scene, so that they are saved and loaded with "
    "the file": (
        "Écrire dans la scène les pointages faits dans ce fichier, pour qu’ils soient "
        "enregistrés et chargés avec lui"
    ),
    "Text": "Texte",
    "The UV map at the place hit": "Carte UV au point d’impact",
    "The active UV map at the place hit": "Carte UV active au point d’impact",
    "The active collection is linked from a library": (
        "La collection active est liée depuis une bibliothèque"
    ),
    "The attribute at the place hit": "Attribut au point d’impact",
    "The attribute {} names no face here": "L’attribut {} ne désigne aucune face ici",
    "The average of the face's vertices": "Le milieu des sommets de la face",
    "The color attribute at the place hit, in linear color": (
        "Attribut de couleur au point d’impact, en couleur linéaire"
    ),
    "The face is hidden": "La face est masquée",
    "The face is not there any more: pick again": "La face n’existe plus : pointer à nouveau",
    "The face is split differently": "La face est découpée autrement",
    "The face of the original mesh is unknown": "La face du maillage d’origine est inconnue",
    "The face of the original mesh, without modifiers, that it comes from, or why that is "
    "unknown": (
        "Face du maillage d’origine, sans modificateurs, dont elle provient, ou pourquoi elle "
        "est inconnue"
    ),
    "The face that was hit": "La face touchée",
    "The face under the mouse": "La face sous la souris",
    "The faces do not match the modifier settings": (
        "Les faces ne correspondent pas aux réglages des modificateurs"
    ),
    "The file holds too many picks: delete raypick_history in its scenes' custom properties": (
        "Le fichier contient trop de pointages : supprimez raypick_history dans les propriétés "
        "personnalisées de ses scènes"
    ),
    "The history saved in this file cannot be read": (
        "L’historique enregistré dans ce fichier est illisible"
    ),
    "The history saved in this file is too large": (
        "L’historique enregistré dans ce fichier est trop grand"
    ),
    "The index of the face": "Indice de la face",
    "The index of the triangle": "Indice du triangle",
    "The instance is not visible": "L’instance n’est pas visible",
    "The material of the face": "Matériau de la face",
    "The mesh as displayed, with modifiers and shape keys": (
        "Le maillage tel qu’affiché, avec les modificateurs et les clés de forme"
    ),
    "The mesh is made for instances or by another type of object": (
        "Le maillage est créé pour des instances ou par un autre type d’objet"
    ),
    "The mesh stores nothing there": "Le maillage n’y stocke rien",
    "The modifier {} changes the faces": "Le modificateur {} modifie les faces",
    "The modifier {} copies an unknown number of faces": (
        "Le modificateur {} copie un nombre inconnu de faces"
    ),
    "The modifier {} makes faces of its own": "Le modificateur {} crée ses propres faces",
    "The mouse must be over a 3D viewport": "La souris doit être au-dessus d’une vue 3D",
    "The nearest point on the edges of the face": (
        "Le point le plus proche sur les arêtes de la face"
    ),
    "The nearest vertex of the face": "Le sommet de la face le plus proche",
    "The normal at the place": "La normale au point d’impact",
    "The object has no mesh of its own": "L’objet n’a pas de maillage propre",
    "The object is not in edit mode": "L’objet n’est pas en mode édition",
    "The object is not in the view layer": "L’objet n’est pas dans le calque de vue",
    "The object is not visible": "L’objet n’est pas visible",
    "The object that creates the instance, and the instance's persistent ID": (
        "Objet qui a créé l’instance, et ID persistant de celle-ci"
    ),
    "The object that is hit, and its instance": "L’objet touché, et son instance",
    "The object was deleted": "L’objet a été supprimé",
    "The object whose mesh was hit": "Objet dont le maillage a été touché",
    "The object's ID in this session": "L’identifiant de l’objet dans cette session",
    "The object's own mesh, without modifiers and shape keys": (
        "Le maillage propre à l’objet, sans modificateurs ni clés de forme"
    ),
    "The place hit, in the local space of the object": (
        "Point d’impact, dans l’espace local de l’objet"
    ),
    "The place hit, in world space": "Point d’impact, en espace monde",
    "The place that was hit": "Le point d’impact",
    "The ray of a kept pick": "Le rayon d’un pointage gardé",
    "The topology has changed": "La topologie a changé",
    "The triangle has no area": "Le triangle n’a pas d’aire",
    "The triangle of a kept pick": "Le triangle d’un pointage gardé",
    "The triangle's unit normal, in world space": "Normale unitaire du triangle, en espace monde",
    "The unit normal used for shading at the hit point, in world space": (
        "Normale unitaire utilisée pour l’ombrage de ce point, en espace monde"
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
    "Triangle of Face": "Triangle de face",
    "Triangle within the face that the weights refer to, starting at 0": (
        "Celui des triangles de la face auquel les poids se rapportent, à partir de 0"
    ),
    "Triangle {}": "Triangle {}",
    "Turn the view so that the place that was hit is seen": (
        "Orienter la vue de sorte que le point d’impact soit visible"
    ),
    "Turn the view to show the place": "Orienter la vue de sorte que ce point soit visible",
    "UV Maps": "Cartes UV",
    "Under the Mouse": "Sous la souris",
    "Updating": "Mise à jour",
    "Values": "Valeurs",
    "Values are as picked": "Valeurs du pointage",
    "Vertex": "Sommet",
    "Vertex Groups": "Groupes de sommets",
    "Vertices": "Sommets",
    "Visible Only": "Visibles",
    "Weights of the triangle's vertices A, B, C; the three add up to 1": (
        "Poids des sommets A, B, C du triangle ; leur somme est égale à 1"
    ),
    "Weights of the triangle's vertices A, B, C; the three must add up to 1": (
        "Poids des sommets A, B, C du triangle ; leur somme doit être égale à 1"
    ),
    "What computes the hits; all engines give the same results": (
        "Ce qui calcule les résultats, qui sont identiques dans tous les cas"
    ),
    "What is selected": "Ce qui est sélectionné",
    "What the label beside the mouse shows": "Ce qu’indique le libellé à côté de la souris",
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
    "Write the history to a file, with all digits": (
        "Écrire l’historique dans un fichier, avec tous les chiffres"
    ),
    "Wrote {} picks": "Pointages écrits : {}",
    "and click with the Raypick tool": "et cliquer avec l’outil Raypick",
    "and press {}": "et appuyer sur {}",
    "or click with the Raypick tool": "ou cliquer avec l’outil Raypick",
    "{axis} of {vector}": "{axis} – {vector}",
    "{} of {}": "{} sur {}",
    "{} picks are saved with the file": "Pointages enregistrés avec le fichier : {}",
    "{} px away": "à {} px",
    "{}: face {}, triangle {}, barycentric ({})": (
        "{} : face {}, triangle {}, poids barycentriques ({})"
    ),
}
