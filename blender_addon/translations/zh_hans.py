# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in Simplified Chinese."""

TEXTS = {
    "A JSON value": "JSON 值",
    "A Python literal": "Python 字面量",
    "A position is needed: pixels of the region": "需要指定位置：区域内的像素坐标",
    "A table with a line for each hit": "每个命中占一行的表格",
    "Active UV Map": "活动 UV 贴图",
    "Add Empty": "添加空物体",
    "Add an empty at the place that was hit, its Z axis along the normal": (
        "在命中位置添加空物体，其 Z 轴沿法向"
    ),
    "All Hits": "所有命中",
    "All values of all hits": "所有命中的全部值",
    "Also what is behind the nearest hit": "同时包含最近命中后方的命中",
    "As plain numbers, as Python has them": "纯数字，与 Python 中的数值一致",
    "Attributes": "属性",
    "Automatic": "自动",
    "Away from Mouse": "与鼠标的距离",
    "Back Faces": "背面",
    "Back Side": "背面",
    "Barycentric Weights": "重心坐标权重",
    "Base mesh, not the sculpted level": "基础网格，而非雕刻级别",
    "Blender Units": "Blender 单位",
    "Cache Size": "缓存大小",
    "Cache Size (MiB)": "缓存大小 (MiB)",
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
    "Copied {} hits as JSON": "已将 {} 个命中复制为 JSON",
    "Copied: {}": "已复制：{}",
    "Copy All as JSON": "全部复制为 JSON",
    "Copy As": "复制为",
    "Copy Value": "复制值",
    "Copy all values of all hits of the last pick to the clipboard, as JSON": (
        "将上次拾取的所有命中的全部值以 JSON 格式复制到剪贴板"
    ),
    "Copy this value to the clipboard, with all its digits": "将此值复制到剪贴板，保留全部位数",
    "Counted from the nearest, from 0 on": "从最近的命中数起，从 0 开始",
    "Counted from the newest, from 0 on": "从最新的拾取数起，从 0 开始",
    "Cull Faces": "剔除",
    "Cursor to Hit": "游标 -> 命中点",
    "Decimals": "位数",
    "Digits after the point that panels and labels show. What is copied has all": (
        "面板和标签显示的小数位数。复制的内容保留全部位数"
    ),
    "Direction": "方向",
    "Distance": "距离",
    "Do not hit faces from behind": "不命中面的背面",
    "Do not hit faces from the front": "不命中面的正面",
    "Do not leave this object out any more": "不再排除此物体",
    "Draw a line from the world's origin to the point of a kept pick": (
        "从世界原点到所保留拾取点绘制一条线"
    ),
    "Dynamic topology changes the faces": "动态拓扑会改变面",
    "Edge": "边",
    "Element": "元素",
    "End Inspection": "结束检查",
    "Engine": "引擎",
    "Evaluated Mesh": "已解算",
    "Exactly what is under the mouse": "精确取鼠标下方的位置",
    "Export": "导出",
    "Export History": "导出历史",
    "Face": "面",
    "Face Center": "面中心",
    "Face Vertices": "面顶点",
    "Face {}": "面 {}",
    "Faces may be missing before the modifier {}": "修改器 {} 之前可能已有面缺失",
    "Farther hits are none; 0 for no limit": "超过此距离不算命中；0 表示无限制",
    "Forget all picks. What was saved with the file stays in it": (
        "清除所有拾取记录。已随文件保存的内容仍保留在文件中"
    ),
    "Format": "格式",
    "Frame in View": "框显",
    "From the start of the ray: the eye of a perspective view, the near clip plane of an "
    "orthographic one": ("从射线起点算起：透视视图中为视点，正交视图中为近裁剪面"),
    "Front Faces": "正面",
    "Front Side": "正面",
    "Hidden objects are not picked.": "不会拾取隐藏的物体。",
    "History": "历史",
    "Hit": "命中",
    "Hit both sides of faces": "面的正反两面均可命中",
    "Hit {} of {} in {:.2f} ms": "命中 {}/{}，用时 {:.2f} ms",
    "Hits": "命中",
    "How far from the mouse that may be": "吸附目标与鼠标的最大距离",
    "How many hits further away": "向后移动的命中数",
    "How many pixels beside the mouse the point is seen: nothing nearer was under it": (
        "该点看起来离鼠标多少像素：鼠标正下方没有更近的物体"
    ),
    "How panels and labels show lengths and points": "面板和标签中长度与坐标的显示方式",
    "Index Of": "编号类型",
    "Index of the face in the mesh that was hit; by default that is the evaluated one, with "
    "its modifiers": ("面在命中网格中的编号；默认为包含修改器效果的已解算网格"),
    "Index of the triangle among the mesh's triangles": "三角形在网格全部三角形中的编号",
    "Indexing": "建立索引",
    "Inspect": "检查",
    "Instance": "实例",
    "Instancer": "实例化物体",
    "Its index, from 0 on": "其编号，从 0 开始",
    "Its nearest edge": "该面上最近的边",
    "Its nearest vertex": "该面上最近的顶点",
    "Keep, Again for What Is Behind": "保留，再次单击查看后方",
    "Kept Triangle": "保留的三角形",
    "Key of the Value": "值",
    "Keymap": "键位映射",
    "Label": "标签",
    "Leave Out": "排除",
    "Leave out objects that are displayed as wire or bounds, and their instances": (
        "排除显示为线框或边界范围的物体及其实例"
    ),
    "Leave out what a click cannot select": "排除无法单击选中的物体",
    "Leave out what the viewport leaves out: nearer than Clip Start, beyond End, outside the "
    "clipping region, or a back face where these are culled": (
        "排除视图中不显示的内容：比裁剪起始更近、比结束更远、在裁剪框之外，或启用背面剔除时的背面"
    ),
    "Leave the selected objects out of picks; with none selected, the one that was hit": (
        "将所选物体排除在拾取之外；若未选择任何物体，则排除命中的物体"
    ),
    "Left Out": "已排除",
    "Lengths": "长度",
    "Library": "库",
    "Line from World Origin": "自世界原点的线",
    "Look Away": "停止查看",
    "Look at Hit": "查看命中",
    "Look at the next hit of the pick: what is behind it, or before it": (
        "查看此次拾取的相邻命中：后方或前方的命中"
    ),
    "Look under Mouse": "查看鼠标下方",
    "Looking again": "正在重新查找",
    "Made by the modifier {}": "由修改器 {} 生成",
    "Material": "材质",
    "Maximum Distance": "最大距离",
    "Memory Held": "占用内存",
    "Memory for meshes that were picked, in MiB. The least recently used are let go first, and "
    "read again when they are needed": (
        "用于已拾取网格的内存，单位为 MiB。最久未使用的网格最先释放，需要时重新读取"
    ),
    "Mesh": "网格",
    "Meshes Held": "缓存网格数",
    "None": "无",
    "Normal": "法向",
    "Normal in World Space": "世界空间法向",
    "Not picked: {}": "未拾取：{}",
    "Nothing has been hit yet": "尚无命中",
    "Nothing hit": "未命中",
    "Nothing is kept": "没有保留的拾取",
    "Nothing is selected, and nothing has been hit yet": "未选中任何物体，且尚无命中",
    "Nothing was picked yet": "尚无拾取记录",
    "NumPy alone": "仅使用 NumPy",
    "Numba is not installed in Blender's Python": "Blender 的 Python 中未安装 Numba",
    "Numba where it is installed, or else NumPy": "已安装 Numba 则使用 Numba，否则使用 NumPy",
    "Number of the Pick": "序号",
    "Numbers and names, separated by commas": "以逗号分隔的数字和名称",
    "Object": "物体",
    "Only in a 3D viewport": "仅限 3D 视图",
    "Only in edit mode": "仅限编辑模式",
    "Only in object mode": "仅限物体模式",
    "Options": "选项",
    "Original Face": "原始面",
    "Original Mesh": "原始",
    "Overlays": "叠加",
    "Performance": "性能",
    "Pick under Mouse": "拾取鼠标下方",
    "Pixel of the region, from its bottom left corner; its center is picked": (
        "区域内的像素，从左下角算起；拾取其中心"
    ),
    "Plain Text": "纯文本",
    "Point": "点",
    "Point at anything": "将鼠标指向任意物体",
    "Point in Local Space": "局部空间坐标",
    "Point in World Space": "世界空间坐标",
    "Position": "位置",
    "Put the 3D cursor to the place that was hit, its Z axis along the normal": (
        "将 3D 游标移到命中位置，其 Z 轴沿法向"
    ),
    "Radius": "半径",
    "Rank": "次序",
    "Ray": "射线",
    "Ray Origin": "起点",
    "Save History with File": "随文件保存历史",
    "Save with File": "随文件保存",
    "Scene Units": "场景单位",
    "Select Element": "选择元素",
    "Select Object": "选择物体",
    "Select the face that was hit, or its edge or vertex nearest to the place": (
        "选择命中的面，或该面上离命中位置最近的边或顶点"
    ),
    "Select the object that was hit and make it active; for an instance that stands in no "
    "collection of its own, the object that makes it": (
        "选择命中的物体并设为活动项；若命中的实例自身不在任何集合中，则选择生成该实例的物体"
    ),
    "Selectable Only": "仅可选择",
    "Session UID": "会话 UID",
    "Shading Normal": "着色法向",
    "Show Pick": "显示拾取",
    "Show Place": "显示位置",
    "Show exactly what is under the mouse: object, face, triangle, barycentrics, UV.\nClick to "
    "keep it, click again or turn the wheel with Ctrl for what is behind it.\nHair curves, "
    "point clouds, Grease Pencil and volumes have no faces and are not picked": (
        "精确显示鼠标下方的内容：物体、面、三角形、重心坐标、UV。\n单击以保留，再次单击或按住 "
        "Ctrl 滚动滚轮可查看其后方的内容。\n毛发曲线、点云、蜡笔和体积没有面，不会被拾取"
    ),
    "Show exactly which face, triangle and place is under the mouse. Again at the same place: "
    "what is behind it": (
        "精确显示鼠标下方的面、三角形和位置。在同一位置再次执行可查看其后方的内容"
    ),
    "Show nothing under the mouse any more when it is not over a 3D viewport": (
        "当鼠标不在 3D 视图上时，不再显示鼠标下的内容"
    ),
    "Show the place that an object, a face or triangle and barycentric weights name: the "
    "inverse of a pick": ("显示由物体、面或三角形以及重心坐标权重确定的位置，即拾取的逆操作"),
    "Show this hit in the panels and in the viewport": "在面板和视图中显示此命中",
    "Show this pick again, as it was": "按当时的结果重新显示此次拾取",
    "Show what is under the mouse, as long as the tool is used": "使用此工具时显示鼠标下方的内容",
    "Show what is under the moving mouse: outline, vertices and label in the viewport, all "
    "else in the sidebar. Again to end": (
        "随鼠标移动显示其下方的内容：视图中显示轮廓、顶点和标签，其余信息显示在侧栏。再次执行以结束"
    ),
    "Side Hit": "正/背面",
    "Sides that are not hit": "面上不被命中的一侧",
    "Snap": "吸附",
    "Snap Radius": "吸附半径",
    "Solid Only": "仅实体",
    "Step": "步长",
    "Take In Again": "取消排除",
    "Take the kept pick off the viewport and the panels. The history keeps it": (
        "从视图和面板中移除保留的拾取。历史中仍有记录"
    ),
    "Text": "文本",
    "The UV map at the place hit": "命中位置的 UV 贴图坐标",
    "The active UV map at the place hit": "命中位置的活动 UV 贴图坐标",
    "The active collection is linked from a library": "活动集合是从库中关联的",
    "The attribute at the place hit": "命中位置的属性值",
    "The attribute {} names no face here": "属性 {} 在此处未指向任何面",
    "The color attribute at the place hit, in linear color": "命中位置的颜色属性值，以线性颜色表示",
    "The face is hidden": "该面已隐藏",
    "The face is not there any more: pick again": "该面已不存在：请重新拾取",
    "The face is split into other triangles": "该面已拆分为其他三角形",
    "The face that was hit": "命中的面",
    "The face under the mouse": "鼠标下方的面",
    "The face without modifiers is not known": "无法确定无修改器时的面",
    "The face without modifiers that it comes from, or why that cannot be told": (
        "该面在无修改器的网格中对应的面，或无法确定的原因"
    ),
    "The face's nearest vertex": "面上最近的顶点",
    "The file that the object is linked from": "该物体所关联的文件",
    "The index is that of a face": "编号指面",
    "The index is that of a triangle": "编号指三角形",
    "The index of the face": "面的编号",
    "The index of the triangle": "三角形的编号",
    "The instance is not visible": "该实例不可见",
    "The instance's persistent id, numbers separated by commas": "实例的持久 ID，数字以逗号分隔",
    "The material of the face": "面的材质",
    "The mesh is made for instances or by another type of object": (
        "网格是为实例生成的，或来自其他类型的物体"
    ),
    "The mesh stores nothing there": "网格在此处没有数据",
    "The mesh that is seen, with modifiers and shape keys": "视图中所见的网格，包含修改器和形态键",
    "The middle of the face's vertices": "面的各顶点的中心",
    "The modifier {} changes the faces": "修改器 {} 改变了面",
    "The modifier {} copies an unknown number of faces": "修改器 {} 复制的面数未知",
    "The modifier {} makes faces of its own": "修改器 {} 会生成新的面",
    "The modifiers make other faces than their settings tell": "修改器生成的面与其设置不符",
    "The mouse must be over a 3D viewport": "鼠标必须位于 3D 视图中",
    "The nearest place on the face's edges": "面的边上最近的位置",
    "The normal at the place": "命中位置的法向",
    "The object has no mesh of its own": "物体没有自己的网格",
    "The object is not in edit mode": "物体不在编辑模式",
    "The object is not in the view layer": "物体不在视图层中",
    "The object is not there any more": "该物体已不存在",
    "The object is not visible": "该物体不可见",
    "The object that is hit, and its instance": "命中的物体及其实例",
    "The object that made the instance": "生成该实例的物体",
    "The object that made the instance, and the instance's persistent id": (
        "生成该实例的物体，以及该实例的持久 ID"
    ),
    "The object whose mesh it is": "网格所属的物体",
    "The object whose mesh was hit": "命中的网格所属的物体",
    "The object's ID in this session": "该物体在本次会话中的标识",
    "The object's own mesh, without modifiers and shape keys": "物体自身的网格，不含修改器和形态键",
    "The pick was made in another scene": "该拾取是在另一场景中进行的",
    "The place hit, in the local space of the object": "命中位置在物体局部空间中的坐标",
    "The place hit, in world space": "命中位置在世界空间中的坐标",
    "The place that was hit": "命中的位置",
    "The ray of a kept pick": "所保留拾取的射线",
    "The same triangle, counted within its face from 0 on": (
        "同一三角形在其所属面内的序号，从 0 开始"
    ),
    "The topology of the mesh has changed": "网格的拓扑已改变",
    "The triangle has no area": "该三角形没有面积",
    "The triangle of a kept pick": "所保留拾取的三角形",
    "The triangle's three vertices A, B, C in the mesh": "三角形的三个顶点 A、B、C 在网格中的编号",
    "The triangle's unit normal, in world space": "三角形在世界空间中的单位法向",
    "The unit normal that the place is shaded with, in world space": (
        "命中位置在世界空间中用于着色的单位法向"
    ),
    "The values are those of the pick": "显示的是拾取时的值",
    "The vertices of the whole face, in the order of its corners": "整个面的顶点，按面拐顺序排列",
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
    "Triangle {}": "三角形 {}",
    "Turn the view to the place": "将视图转到该位置",
    "Turn the view to the place that was hit": "将视图转到命中位置",
    "UV Maps": "UV 贴图",
    "Under the Mouse": "鼠标下方",
    "Values": "值",
    "Vertex": "顶点",
    "Vertex Groups": "顶点组",
    "Vertices": "顶点",
    "Visible Only": "仅可见",
    "Walk through Hits": "逐个查看命中",
    "Weights of the triangle's vertices A, B, C; the three add up to 1": (
        "三角形顶点 A、B、C 的权重，三者之和为 1"
    ),
    "Weights of the triangle's vertices A, B, C; the three must add up to 1": (
        "三角形顶点 A、B、C 的权重，三者之和必须为 1"
    ),
    "What computes the answers, which are the same whichever it is": (
        "用于计算的引擎，无论选择哪个，结果都相同"
    ),
    "What is selected": "要选择的元素",
    "What the copy buttons put on the clipboard": "复制按钮写入剪贴板的内容格式",
    "What the file holds": "文件的内容",
    "What the index counts": "编号所指的元素类型",
    "What the label beside the mouse tells": "鼠标旁的标签显示的内容",
    "What the place that is hit snaps to, on the face under the mouse": (
        "命中位置在鼠标下方的面上的吸附目标"
    ),
    "Wheel: Walk through the Hits": "滚轮：逐个查看命中",
    "Where nothing is under the mouse, or only something farther away, pick the nearest thing "
    "within this many pixels; 0 to pick exactly what is under the mouse": (
        "鼠标下没有物体或只有更远的物体时，拾取此像素范围内最近的物体；0 表示只拾取鼠标正下方的物体"
    ),
    "Where the ray goes, in world space; any length above 0": (
        "射线在世界空间中的方向；长度大于 0 即可"
    ),
    "Where the ray starts, in world space": "射线在世界空间中的起点",
    "Whether the face was hit from the front or from behind": "命中的是面的正面还是背面",
    "Which mesh is hit, and whose faces are counted": "命中哪种网格，面的编号也以其为准",
    "Which of the face's triangles the weights belong to, from 0 on": (
        "权重所属的面内三角形，从 0 开始"
    ),
    "With the units and the scale that the scene is set to": "使用场景设置中的单位和缩放",
    "Write the history to a file, with all digits": "将历史写入文件，保留全部位数",
    "Write the picks that were made in this file into its scene, so that they are saved and "
    "loaded with it": ("将在此文件中进行的拾取写入其场景，以便随文件一起保存和载入"),
    "Wrote {} picks": "已写入 {} 次拾取",
    "and click with the Raypick tool": "并用 Raypick 工具单击",
    "and press {}": "并按 {}",
    "and {} more": "另有 {} 次",
    "or click with the Raypick tool": "或用 Raypick 工具单击",
    "{} of {}": "{}/{}",
    "{} picks are saved with the file": "{} 次拾取将随文件保存",
    "{} px away": "相距 {} px",
    "{}: face {}, triangle {}, barycentric ({})": "{}：面 {}，三角形 {}，重心坐标 ({})",
}
