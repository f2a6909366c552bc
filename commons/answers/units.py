"""Units, currencies and percent words behind a number: a closed list, whole words only, one name for each unit."""

import re
from functools import lru_cache

# the first word of each line is the name; a unit counts only whole and only behind a number
NAMES = """
mm millimeter millimeters millimetre millimetres 毫米
cm centimeter centimeters centimetre centimetres 厘米 公分
dm decimeter decimeters 分米
m meter meters metre metres 米
km kilometer kilometers kilometre kilometres 千米 公里
in inch inches
ft foot feet
yd yard yards
mi mile miles
g gram grams 克
mg milligram milligrams 毫克
kg kilogram kilograms 千克 公斤
t ton tons tonne tonnes 吨
lb lbs pound pounds
oz ounce ounces
ml mL milliliter milliliters 毫升
l L liter liters litre litres 升
gal gallon gallons
cup cups
s sec second seconds 秒 秒钟
min mins minute minutes 分钟 分
h hr hrs hour hours 小时 时
day days 天 日
week weeks 周 星期
month months 月 个月
year years 年 岁 years~old
$ dollar dollars USD usd
cent cents ¢
€ euro euros
yuan ¥ 元 块 块钱 圆
£
角
° degree degrees deg 度
C 摄氏度
rad radian radians
% percent pct per~cent
unit units
mph
km/h kph 千米/时 千米/小时
m/s 米/秒
times 倍 次
people person persons students student children
apples apple
books book
pages page 页
boxes box
pieces piece
points point
eggs egg
ways way
hectares hectare 公顷
N
J
W
V
Hz
K
mol
sq~units square~units square~unit units^2
"""
COUNTER_WORDS = """
个 只 支 本 张 条 件 人 名 位 棵 朵 袋 箱 盒 瓶 辆 头 层 段 组 种 颗 排 行 套 双 道 把 根
杯 副 枚 面 车 斤 包 家 题 间 桶 节 盆 台 粒 份 群 架 首 户 株 匹 串 亩
"""
POWERS = {"square": "2", "sq": "2", "sq.": "2", "cubic": "3", "cu": "3", "平方": "2", "立方": "3"}
ALIASES = {word.replace("~", " "): line.split()[0] for line in NAMES.split("\n") if line for word in line.split()}
COUNTERS = frozenset(COUNTER_WORDS.split())  # they say what was counted, and fit every unit
ALIASES |= dict.fromkeys(COUNTERS, "个")
LONGEST = max(map(len, ALIASES))
WORDS = "|".join(sorted((re.escape(word) for word in ALIASES), key=len, reverse=True))
POWER_WORDS = "|".join(re.escape(word) for word in POWERS)
UNIT = re.compile(
    rf'(?<=[0-9.)}}%零一二三四五六七八九十百千万亿半两 "°])(?P<power>(?:{POWER_WORDS})\s*)?'
    rf"(?P<word>{WORDS})\.?(?:\^?\{{?(?P<exponent>[23])\}}?)?(?:\s*/\s*(?P<per>{WORDS})(?:\^?\{{?(?P<per_exponent>[23])\}}?)?)?$"
)
TRIGONOMETRIC = re.compile(r"sin|cos|tan|cot|sec|csc")
QUOTED = re.compile(r'"(?P<words>[^"]*)"\s*(?:\^\s*\{?(?P<exponent>[23])\}?)?$')
ENDS_LIKE_A_UNIT = re.compile(r'[A-Za-z%°¢$¥£€"\u4e00-\u9fff.23}]$')


@lru_cache(maxsize=1 << 12)
def canonical(word: str, exponent: str = "") -> str:
    """The one name of a unit, such as cm^2 for "square centimeters"; a word outside of the list stands for itself."""
    text = " ".join(word.replace("~", " ").split())
    first, _, rest = text.partition(" ")
    if first.lower() in POWERS and rest:
        return canonical(rest, POWERS[first.lower()])
    for chinese in ("平方", "立方"):
        if text.startswith(chinese):
            return canonical(text.removeprefix(chinese), POWERS[chinese])
    name = ALIASES.get(text) or ALIASES.get(text.lower()) or text.lower()
    return f"{name}^{exponent}" if exponent else name


def split_unit(text: str) -> tuple[str, str]:
    """(the text before its unit, the name of the unit); the unit is "" when there is none from the list.

    What stood in \\text{} behind something is a unit whatever it says: it is no part of the mathematics."""
    if not ENDS_LIKE_A_UNIT.search(text):
        return text, ""
    quoted = QUOTED.search(text)
    if quoted is not None:
        before = text[: quoted.start()].rstrip()
        if not before or before[-1] in "=<>≤≥≠≈∈+-*/^_,(":
            return text, ""
        inner, extra = split_unit(before)
        unit = canonical(quoted["words"], quoted["exponent"] or "")
        return (inner, f"{extra} {unit}") if extra else (before, unit)
    found = UNIT.search(text)
    if found is not None and found["word"] == "°" and TRIGONOMETRIC.search(text):
        return text, ""  # the degrees of an angle inside: the value of \\cos 13° has none
    if found is None or (len(found["word"]) == 1 and found["word"].isalpha() and not _alone(text, found.start())):
        return text, ""
    unit = canonical((found["power"] or "") + found["word"], found["exponent"] or "")
    if found["per"]:
        unit += "/" + canonical(found["per"], found["per_exponent"] or "")
    return text[: found.start()].rstrip(), unit


def _alone(text: str, place: int) -> bool:
    """Whether a unit of one Latin letter stands by itself behind plain digits: 12 m, but not 4t or \\frac{37}{4} m."""
    return not text[place].isascii() or (
        text[place - 1] in " °" and re.fullmatch(r"[\d.,+\- °]+", text[:place]) is not None
    )


def same_unit(one: str, other: str) -> bool:
    """Whether two units do not contradict each other: a missing unit fits all, and so does a Chinese counter."""
    loose = COUNTERS | {"", "unit", "unit^2", "unit^3"}
    return one == other or one in loose or other in loose
