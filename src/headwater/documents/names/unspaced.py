"""Names in scripts without capital letters: by a title beside them, by their ending, or by the dot of a foreign name."""

import re
from collections.abc import Iterator

from headwater.documents.mentions.entities import NamedEntity

LIKELY = 0.6
SOUNDS = (
    "阿埃艾爱安昂奥巴白班邦贝本比彼别宾波伯博布查达戴丹德登迪蒂丁杜顿多厄恩尔法范菲费芬弗福富盖甘戈格根古哈海汉豪赫亨胡霍基吉加贾杰金卡凯坎康考科"
    "克肯库夸奎拉莱兰朗劳勒雷黎里利莉列林琳卢鲁路伦罗洛马玛麦曼梅蒙米密明莫姆穆纳娜南内尼妮宁诺欧帕潘佩彭皮平珀普奇齐恰乔切琴琼丘让热瑞若萨塞赛"
    "桑瑟森沙莎尚舍绍申圣施舒斯史司思苏索塔泰坦汤唐陶特滕提图托瓦万威韦维魏温沃乌伍西希席夏谢辛休许雅亚延耶叶伊茵英尤约扎泽詹兹佐朱丽夫娅"
)
"""The characters by which Chinese writes the sounds of foreign names."""
FOREIGN = re.compile(f"[{SOUNDS}]{{1,8}}(?:·[{SOUNDS}]{{1,6}})+")
CHINESE_ORGANISATION = re.compile(
    f"[{SOUNDS}]{{2,8}}(?:航运|石油|保险|汽车|电力|能源|航空|科技)?(?:公司|集团|银行|大学|互保|基金会)"
)
JAPANESE_PERSON = re.compile(
    r"((?:[ァ-ヴー]{2,12}・[ァ-ヴー]{2,12}|[ァ-ヴー]{3,12}|[一-龥]{2,4}))(?:首相|大統領|大臣|外相|議員|知事|市長|会長|社長|氏|さん)"
)
KOREAN_PERSON = re.compile(r"([가-힣]{2,4}) (?:대통령|총리|장관|의원|대변인|시장|대표|위원장|지사)")
ARABIC_WORD = r"[\u0621-\u064a\u066e-\u06d3]{2,20}"
ARABIC_PERSON = re.compile(
    rf"(?:الرئيس|رئيس الوزراء|الوزير|الوزيرة|وزير الخارجية|وزيرة الخارجية|المتحدث|السيد|السيدة|الجنرال|العقيد|الملك|آقای|خانم|رئیس‌جمهور|وزیر خارجه)"
    rf" ({ARABIC_WORD} {ARABIC_WORD})"
)
HEBREW_PERSON = re.compile(
    r"(?:הנשיא|הנשיאה|ראש הממשלה|השר|השרה|ראש העיר|הדובר|הדוברת) ([א-ת]{2,20} [א-ת]{2,20})"
)
DEVANAGARI = r"[\u0900-\u097f]{2,20}"
HINDI_PERSON = re.compile(
    rf"(?:राष्ट्रपति|प्रधानमंत्री|मंत्री|श्री|श्रीमती|मुख्यमंत्री|प्रवक्ता) ({DEVANAGARI} {DEVANAGARI})"
)
BY_TITLE = (JAPANESE_PERSON, KOREAN_PERSON, ARABIC_PERSON, HEBREW_PERSON, HINDI_PERSON)


def names_without_capitals(text: str, person: str, organisation: str) -> Iterator[NamedEntity]:
    """`person`, `organisation`: their labels."""
    if text.isascii():
        return
    for pattern, label in ((FOREIGN, person), (CHINESE_ORGANISATION, organisation)):
        for match in pattern.finditer(text):
            yield NamedEntity(match[0], label, LIKELY, match.start(), match.end())
    for pattern in BY_TITLE:
        for match in pattern.finditer(text):
            yield NamedEntity(match[1], person, LIKELY, match.start(1), match.end(1))
