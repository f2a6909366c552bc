"""The people, things and places of word problems, in English and Chinese."""

PEOPLE = (
    ("Tom", "小明"),
    ("Mia", "小红"),
    ("Ann", "小安"),
    ("Ben", "小本"),
    ("Sam", "小山"),
    ("Eva", "小华"),
    ("Leo", "小力"),
    ("Zoe", "小芳"),
    ("Max", "小军"),
    ("Ida", "小丽"),
    ("Amy", "小梅"),
    ("Dan", "小东"),
)
THINGS = (
    ("apples", "苹果"),
    ("books", "本子"),
    ("pens", "铅笔"),
    ("cards", "卡片"),
    ("coins", "硬币"),
    ("stamps", "邮票"),
    ("shells", "贝壳"),
    ("stones", "石子"),
    ("eggs", "鸡蛋"),
    ("cups", "杯子"),
)
PLACES = (("garden", "花园"), ("room", "房间"), ("field", "田地"), ("yard", "院子"))
