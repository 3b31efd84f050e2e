# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in Simplified Chinese."""

TEXTS = {
    "A JSON value": "JSON 值",
    "A Python literal": "Python 字面量",
    "A newer Raypick saved the history in this file": "此文件的历史记录由更新版本的 Raypick 保存",
    "A position is needed: pixels of the region": "需要指定位置：区域内的像素坐标",
    "A table with a line for each hit; a name like =A1 is written as '=A1": (
        "每个命中占一行的表格；=A1 之类的名称写作 '=A1"
    ),
    "Active UV Map": "活动 UV 贴图",
    "Add Empty": "添加空物体",
    "Add an empty at the hit point, with its Z axis along the normal": (
        "在命中位置添加空物体，其 Z 轴沿法向"
    ),
    "All Hits": "所有命中",
    "All values of all hits, with all names as they are": "所有命中的全部值，所有名称保持原样",
    "Attributes": "属性",
    "Automatic": "自动",
    "Back Faces": "背面",
    "Back Side": "背面",
    "Barycentric Weights": "重心坐标权重",
    "Base mesh, not the sculpted level": "基础网格，而非雕刻级别",
    "Blender Units": "Blender 单位",
    "Cache Memory": "缓存内存",
    "Cache Size": "缓存大小",
    "Cache Size (MiB)": "缓存大小 (MiB)",
    "Cached Meshes": "缓存的网格",
    "Cast Ray": "投射射线",
    "Cast a ray from a point in a direction and show what it hits": (
        "从一点沿指定方向投射射线，并显示其命中结果"
    ),
    "Clear": "清空",
    "Clear History": "清空历史",
    "Color Attributes": "颜色属性",
    "Compiled by Numba, which must be installed in Blender's Python": (
        "由 Numba 编译，需在 Blender 的 Python 中安装 Numba"
    ),
    "Contents of the file": "文件的内容",
    "Copied {} hits as JSON": "已将 {} 个命中复制为 JSON",
    "Copied: {}": "已复制：{}",
    "Copy All as JSON": "全部复制为 JSON",
    "Copy As": "复制为",
    "Copy Value": "复制值",
    "Copy all values of all hits of the last pick to the clipboard, as JSON": (
        "将上次拾取的所有命中的全部值以 JSON 格式复制到剪贴板"
    ),
    "Copy this value to the clipboard, with all its digits": "将此值复制到剪贴板，保留全部位数",
    "Cull Faces": "剔除",
    "Cursor to Hit": "游标 -> 命中点",
    "Cycle through Hits": "逐个查看命中",
    "Decimals": "位数",
    "Digits after the decimal point in panels and labels. Copied values have all digits": (
        "面板和标签显示的小数位数。复制的内容保留全部位数"
    ),
    "Direction": "方向",
    "Distance": "距离",
    "Distance from Mouse": "与鼠标的距离",
    "Distance from the origin of the ray: the eye of a perspective view, the near clip plane "
    "of an orthographic one": ("到射线起点的距离：透视视图中为视点，正交视图中为近裁剪平面"),
    "Do not snap": "不吸附",
    "Draw a line from the world's origin to the point of a kept pick": (
        "从世界原点到所保留拾取点绘制一条线"
    ),
    "Dynamic topology changes the faces": "动态拓扑会改变面",
    "Edge": "边",
    "Element": "元素",
    "Element of the face under the mouse to snap the hit to": "命中位置在鼠标下方的面上的吸附目标",
    "Element that the index refers to": "编号所指的元素类型",
    "End Hover": "结束悬停",
    "End Inspection": "结束检查",
    "Engine": "引擎",
    "Evaluated Mesh": "已解算",
    "Exclude": "排除",
    "Exclude the selected objects from picking or, with none selected, the object that was hit": (
        "拾取时排除所选物体；若未选择物体，则排除命中的物体"
    ),
    "Excluded Objects": "已排除的物体",
    "Export": "导出",
    "Export History": "导出历史",
    "Face": "面",
    "Face Center": "面中心",
    "Face Vertices": "面顶点",
    "Face {}": "面 {}",
    "Faces may be missing before the modifier {}": "修改器 {} 之前可能已有面缺失",
    "Find everything behind the nearest hit too": "同时包含最近命中后方的命中",
    "Format": "格式",
    "Format of the values that the copy buttons put on the clipboard": (
        "复制按钮写入剪贴板的内容格式"
    ),
    "Frame in View": "框显",
    "Front Faces": "正面",
    "Front Side": "正面",
    "Hidden objects are not picked.": "不会拾取隐藏的物体。",
    "History": "历史",
    "Hit": "命中",
    "Hit both sides of faces": "面的正反两面均可命中",
    "Hit {} of {} in {:.2f} ms": "命中 {}/{}，用时 {:.2f} ms",
    "Hits": "命中",
    "Hover": "悬停",
    "How panels and labels show lengths and points": "面板和标签中长度与坐标的显示方式",
    "Ignore back faces": "忽略背面",
    "Ignore front faces": "忽略正面",
    "Ignore hits farther away than this; 0 for no limit": "忽略更远的命中；0 表示不限制",
    "Ignore objects displayed as wire or bounds, and their instances": (
        "排除显示为线框或边界范围的物体及其实例"
    ),
    "Ignore objects that cannot be selected": "排除无法单击选中的物体",
    "Ignore what the viewport does not draw: nearer than Clip Start, beyond Clip End, outside "
    "the clipping region, or back faces where these are culled": (
        "排除视图中不显示的内容：比裁剪起始更近、比结束更远、在裁剪框之外，或启用背面剔除时的背面"
    ),
    "In the units and the unit scale of the scene": "使用场景设置中的单位和缩放",
    "Include": "取消排除",
    "Index Of": "编号类型",
    "Index of a face": "面的编号",
    "Index of a triangle": "三角形的编号",
    "Index of the face in the mesh that was hit; by default that is the evaluated one, with "
    "its modifiers": ("面在命中网格中的编号；默认为包含修改器效果的已解算网格"),
    "Index of the triangle among the mesh's triangles": "三角形在网格全部三角形中的编号",
    "Index of the triangle within its face, starting at 0": "三角形在其所属面内的序号，从 0 开始",
    "Index, starting at 0": "编号，从 0 开始",
    "Indexing": "建立索引",
    "Indices of the triangle's vertices A, B, C in the mesh": "三角形的顶点 A、B、C 在网格中的编号",
    "Indices of the vertices of the whole face, in the order of its corners": (
        "整个面的顶点编号，按面拐顺序排列"
    ),
    "Inspect": "检查",
    "Instance": "实例",
    "Instancer": "实例化物体",
    "Its nearest edge": "该面上最近的边",
    "Its nearest vertex": "该面上最近的顶点",
    "Keep": "保留",
    "Kept Triangle": "保留的三角形",
    "Key of the Value": "值",
    "Keymap": "键位映射",
    "Label": "标签",
    "Lengths": "长度",
    "Library": "库",
    "Library file that the object is linked from": "该物体所关联的文件",
    "Line from World Origin": "自世界原点的线",
    "Made by the modifier {}": "由修改器 {} 生成",
    "Material": "材质",
    "Max Distance": "最大距离",
    "Maximum distance from the mouse to snap over": "吸附目标与鼠标的最大距离",
    "Memory for picked meshes, in MiB. The least recently used are freed first, and read again "
    "when needed": ("用于已拾取网格的内存，单位为 MiB。最久未使用的网格最先释放，需要时重新读取"),
    "Mesh": "网格",
    "Mesh to hit, and whose indices to show": "命中哪种网格，面的编号也以其为准",
    "Next Hit": "下一个命中",
    "No picks yet": "尚无拾取记录",
    "None": "无",
    "Normal": "法向",
    "Normal in World Space": "世界空间法向",
    "Not picked: {}": "未拾取：{}",
    "Nothing has been hit yet": "尚无命中",
    "Nothing hit": "未命中",
    "Nothing is kept": "没有保留的拾取",
    "Nothing is selected, and nothing has been hit yet": "未选中任何物体，且尚无命中",
    "NumPy only": "仅使用 NumPy",
    "Numba if it is installed, otherwise NumPy": "已安装 Numba 则使用 Numba，否则使用 NumPy",
    "Numba is not installed in Blender's Python": "Blender 的 Python 中未安装 Numba",
    "Number of hits to move on by": "向后移动的命中数",
    "Number of the Pick": "序号",
    "Number of the hit, counted from the nearest, starting at 0": "命中的序号，由近及远，从 0 开始",
    "Number of the pick, counted from the newest, starting at 0": (
        "拾取的序号，从最新的开始计数，从 0 开始"
    ),
    "Numbers and names, separated by commas": "以逗号分隔的数字和名称",
    "Object": "物体",
    "Object that creates the instance": "生成该实例的物体",
    "Object that the mesh belongs to": "网格所属的物体",
    "Only in a 3D viewport": "仅限 3D 视图",
    "Only in edit mode": "仅限编辑模式",
    "Only in object mode": "仅限物体模式",
    "Options": "选项",
    "Original Face": "原始面",
    "Original Mesh": "原始",
    "Overlays": "叠加",
    "Performance": "性能",
    "Persistent ID of the instance: numbers separated by commas": "实例的持久 ID，数字以逗号分隔",
    "Pick under Mouse": "拾取鼠标下方",
    "Picked in another scene": "在另一场景中拾取",
    "Picks saved in this file that cannot be read: {}": ("此文件中保存但无法读取的拾取记录：{}"),
    "Pixel of the region, from its bottom left corner; its center is picked": (
        "区域中的像素，从左下角算起；拾取其中心"
    ),
    "Plain Text": "纯文本",
    "Plain numbers, as in Python": "纯数字，与 Python 中的数值一致",
    "Point": "点",
    "Point at anything": "将鼠标指向任意物体",
    "Point in Local Space": "局部空间坐标",
    "Point in World Space": "世界空间坐标",
    "Position": "位置",
    "Radius": "半径",
    "Rank": "次序",
    "Ray": "射线",
    "Ray Origin": "起点",
    "Raypick is already enabled as {}, so this copy stays disabled": (
        "Raypick 已作为 {} 启用，因此此副本保持禁用"
    ),
    "Remove Pick": "移除拾取",
    "Remove all picks from the history. Those saved with the file stay in the file": (
        "从历史中移除所有拾取。已随文件保存的仍保留在文件中"
    ),
    "Remove the kept pick from the viewport and the panels. It stays in the history": (
        "从视图和面板中移除保留的拾取。历史中仍有记录"
    ),
    "Remove this pick from the history. If it was saved with the file, it stays in the file": (
        "从历史中移除此次拾取。若已随文件保存，则仍保留在文件中"
    ),
    "Save History with File": "随文件保存历史",
    "Save with File": "随文件保存",
    "Scene Units": "场景单位",
    "Screen distance from the mouse to the hit, in pixels": (
        "屏幕上鼠标到命中位置的距离，以像素为单位"
    ),
    "Select Element": "选择元素",
    "Select Object": "选择物体",
    "Select the face that was hit, or its edge or vertex nearest to the hit point": (
        "选择命中的面，或该面上离命中位置最近的边或顶点"
    ),
    "Select the object that was hit and make it active; for an instance, the object that "
    "creates it": ("选择命中的物体并将其设为活动项；若为实例，则选择生成它的物体"),
    "Selectable Only": "仅可选择",
    "Session UID": "会话 UID",
    "Shading Normal": "着色法向",
    "Show Hit": "显示命中",
    "Show Pick": "显示拾取",
    "Show Place": "显示位置",
    "Show exactly what is under the mouse: object, face, triangle, barycentric weights, UV.\n"
    "Click to keep it; click again, or scroll with Ctrl, for what is behind it.\nHair curves, "
    "point clouds, Grease Pencil and volumes have no faces and are not picked": (
        "精确显示鼠标下方的内容：物体、面、三角形、重心坐标、UV。\n单击以保留，再次单击或按住 "
        "Ctrl 滚动滚轮可查看其后方的内容。\n毛发曲线、点云、蜡笔和体积没有面，不会被拾取"
    ),
    "Show exactly which face, triangle and point is under the mouse. Pick the same place again "
    "for what is behind it": (
        "精确显示鼠标下方的面、三角形和点。在同一位置再次拾取可查看其后方的内容"
    ),
    "Show the next hit of the pick, behind this one, or the previous one": (
        "显示此次拾取中位于其后方的下一个命中，或上一个命中"
    ),
    "Show the place given by an object, a face or triangle, and barycentric weights: the "
    "inverse of picking": ("显示由物体、面或三角形以及重心坐标权重确定的位置，即拾取的逆操作"),
    "Show this hit in the panels and in the viewport": "在面板和视图中显示此命中",
    "Show this pick again, where its triangle is now": "再次显示此次拾取，位于其三角形当前所在处",
    "Show what is under the mouse as it moves: outline, vertices and label in the viewport, "
    "everything else in the sidebar. Run again to end": (
        "随鼠标移动显示其下方的内容：视图中显示轮廓、顶点和标签，其余信息显示在侧栏。再次执行以结束"
    ),
    "Show what is under the mouse while the tool is active": "使用此工具时显示鼠标下方的内容",
    "Side Hit": "正/背面",
    "Sides of faces to ignore": "要忽略的面的一侧",
    "Snap": "吸附",
    "Snap Radius": "吸附半径",
    "Snap the 3D cursor to the hit point, with its Z axis along the normal": (
        "将 3D 游标移到命中位置，其 Z 轴沿法向"
    ),
    "Solid Only": "仅实体",
    "Step": "步长",
    "Stop excluding this object from picking": "拾取时不再排除此物体",
    "Stop showing what is under the mouse when it leaves the 3D viewport": (
        "鼠标离开 3D 视图后，不再显示其下方的内容"
    ),
    "Store the picks made in this file in its scene, so that they are saved and loaded with "
    "the file": ("将在此文件中进行的拾取写入其场景，以便随文件一起保存和载入"),
    "Text": "文本",
    "The UV map at the place hit": "命中位置的 UV 贴图坐标",
    "The active UV map at the place hit": "命中位置的活动 UV 贴图坐标",
    "The active collection is linked from a library": "活动集合是从库中关联的",
    "The attribute at the place hit": "命中位置的属性值",
    "The attribute {} names no face here": "属性 {} 在此处未指向任何面",
    "The average of the face's vertices": "面的各顶点的中心",
    "The color attribute at the place hit, in linear color": "命中位置的颜色属性值，以线性颜色表示",
    "The face is hidden": "该面已隐藏",
    "The face is not there any more: pick again": "该面已不存在：请重新拾取",
    "The face is split differently": "该面的拆分方式已改变",
    "The face of the original mesh is unknown": "无法确定原始网格中的面",
    "The face of the original mesh, without modifiers, that it comes from, or why that is "
    "unknown": ("该面在无修改器的原始网格中对应的面，或无法确定的原因"),
    "The face that was hit": "命中的面",
    "The face under the mouse": "鼠标下方的面",
    "The faces do not match the modifier settings": "面与修改器的设置不符",
    "The file holds too many picks: delete raypick_history in its scenes' custom properties": (
        "文件中的拾取记录过多：请在其场景的自定义属性中删除 raypick_history"
    ),
    "The history saved in this file cannot be read": "此文件中保存的历史记录无法读取",
    "The history saved in this file is too large": "此文件中保存的历史记录过大",
    "The index of the face": "面的编号",
    "The index of the triangle": "三角形的编号",
    "The instance is not visible": "该实例不可见",
    "The material of the face": "面的材质",
    "The mesh as displayed, with modifiers and shape keys": "视图中所见的网格，包含修改器和形态键",
    "The mesh is made for instances or by another type of object": (
        "网格是为实例生成的，或来自其他类型的物体"
    ),
    "The mesh stores nothing there": "网格在此处没有数据",
    "The modifier {} changes the faces": "修改器 {} 改变了面",
    "The modifier {} copies an unknown number of faces": "修改器 {} 复制的面数未知",
    "The modifier {} makes faces of its own": "修改器 {} 会生成新的面",
    "The mouse must be over a 3D viewport": "鼠标必须位于 3D 视图中",
    "The nearest point on the edges of the face": "面的边上最近的位置",
    "The nearest vertex of the face": "面上最近的顶点",
    "The normal at the place": "命中位置的法向",
    "The object has no mesh of its own": "物体没有自己的网格",
    "The object is not in edit mode": "物体不在编辑模式",
    "The object is not in the view layer": "物体不在视图层中",
    "The object is not visible": "该物体不可见",
    "The object that creates the instance, and the instance's persistent ID": (
        "生成该实例的物体，以及该实例的持久 ID"
    ),
    "The object that is hit, and its instance": "命中的物体及其实例",
    "The object was deleted": "该物体已被删除",
    "The object whose mesh was hit": "命中的网格所属的物体",
    "The object's ID in this session": "该物体在本次会话中的标识",
    "The object's own mesh, without modifiers and shape keys": "物体自身的网格，不含修改器和形态键",
    "The place hit, in the local space of the object": "命中位置在物体局部空间中的坐标",
    "The place hit, in world space": "命中位置在世界空间中的坐标",
    "The place that was hit": "命中的位置",
    "The ray of a kept pick": "所保留拾取的射线",
    "The topology has changed": "拓扑已改变",
    "The triangle has no area": "该三角形没有面积",
    "The triangle of a kept pick": "所保留拾取的三角形",
    "The triangle's unit normal, in world space": "三角形在世界空间中的单位法向",
    "The unit normal used for shading at the hit point, in world space": (
        "命中位置在世界空间中用于着色的单位法向"
    ),
    "The weight of the vertex group at the place hit": "命中位置的顶点组权重",
    "The weights of the triangle's vertices": "三角形各顶点的权重",
    "There is no 3D viewport in this window": "此窗口中没有 3D 视图",
    "There is no other hit": "没有其他命中",
    "There is no visible face there.": "该处没有可见的面。",
    "This pick is not remembered any more": "此次拾取已不在历史中",
    "Time": "时间",
    "Tolerance": "容差",
    "Triangle": "三角形",
    "Triangle of Face": "面内三角形",
    "Triangle within the face that the weights refer to, starting at 0": (
        "权重所属的面内三角形，从 0 开始"
    ),
    "Triangle {}": "三角形 {}",
    "Turn the view so that the place that was hit is seen": "转动视图，使命中位置可见",
    "Turn the view to show the place": "转动视图，使该位置可见",
    "UV Maps": "UV 贴图",
    "Under the Mouse": "鼠标下方",
    "Updating": "正在更新",
    "Values": "值",
    "Values are as picked": "显示拾取时的值",
    "Vertex": "顶点",
    "Vertex Groups": "顶点组",
    "Vertices": "顶点",
    "Visible Only": "仅可见",
    "Weights of the triangle's vertices A, B, C; the three add up to 1": (
        "三角形顶点 A、B、C 的权重，三者之和为 1"
    ),
    "Weights of the triangle's vertices A, B, C; the three must add up to 1": (
        "三角形顶点 A、B、C 的权重，三者之和必须为 1"
    ),
    "What computes the hits; all engines give the same results": (
        "用于计算的引擎，无论选择哪个，结果都相同"
    ),
    "What is selected": "要选择的元素",
    "What the label beside the mouse shows": "鼠标旁的标签显示的内容",
    "Where nothing is under the mouse, or only something farther away, pick the nearest thing "
    "within this many pixels; 0 to pick exactly what is under the mouse": (
        "鼠标下没有物体或只有更远的物体时，拾取此像素范围内最近的物体；0 表示只拾取鼠标正下方的物体"
    ),
    "Where the ray goes, in world space; any length above 0": (
        "射线在世界空间中的方向；长度大于 0 即可"
    ),
    "Where the ray starts, in world space": "射线在世界空间中的起点",
    "Whether the face was hit from the front or from behind": "命中的是面的正面还是背面",
    "Write the history to a file, with all digits": "将历史写入文件，保留全部位数",
    "Wrote {} picks": "已写入 {} 次拾取",
    "and click with the Raypick tool": "并用 Raypick 工具单击",
    "and press {}": "并按 {}",
    "or click with the Raypick tool": "或用 Raypick 工具单击",
    "{axis} of {vector}": "{axis}（{vector}）",
    "{} of {}": "{}/{}",
    "{} picks are saved with the file": "{} 次拾取将随文件保存",
    "{} px away": "相距 {} px",
    "{}: face {}, triangle {}, barycentric ({})": "{}：面 {}，三角形 {}，重心坐标 ({})",
}
