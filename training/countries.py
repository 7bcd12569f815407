"""Write the table of country names: codes, capitals and demonyms from here, names in many languages from CLDR.

    python training/countries.py > src/headwater/documents/places/countries.tsv

Needs Babel, which carries CLDR's territory names (Unicode Licence v3). Columns: alpha-2, alpha-3, then names as
kind:text, separated by bars; kinds are name, capital and demonym.
"""

import sys

from babel import Locale

LANGUAGES = [
    "en",
    "es",
    "fr",
    "de",
    "pt",
    "it",
    "nl",
    "pl",
    "cs",
    "ro",
    "sv",
    "el",
    "ru",
    "uk",
    "tr",
    "ar",
    "fa",
    "he",
    "hi",
    "id",
    "vi",
    "zh",
    "zh_Hant",
    "ja",
    "ko",
]

KNOWN = """
AF AFG Kabul Afghan|AL ALB Tirana Albanian|DZ DZA Algiers Algerian|AD AND - Andorran|AO AGO Luanda Angolan
AG ATG - Antiguan|AR ARG Buenos_Aires Argentine,Argentinian|AM ARM Yerevan Armenian|AU AUS Canberra Australian
AT AUT Vienna Austrian|AZ AZE Baku Azerbaijani|BS BHS Nassau Bahamian|BH BHR Manama Bahraini|BD BGD Dhaka Bangladeshi
BB BRB Bridgetown Barbadian|BY BLR Minsk Belarusian|BE BEL Brussels Belgian|BZ BLZ Belmopan Belizean|BJ BEN - Beninese
BT BTN Thimphu Bhutanese|BO BOL La_Paz Bolivian|BA BIH Sarajevo Bosnian|BW BWA Gaborone -|BR BRA Brasília,Brasilia Brazilian
BN BRN - Bruneian|BG BGR Sofia Bulgarian|BF BFA Ouagadougou Burkinabe|BI BDI Bujumbura Burundian|KH KHM Phnom_Penh Cambodian
CM CMR Yaoundé,Yaounde Cameroonian|CA CAN Ottawa Canadian|CV CPV Praia -|CF CAF Bangui -|TD TCD N'Djamena Chadian
CL CHL - Chilean|CN CHN Beijing Chinese|CO COL Bogotá,Bogota Colombian|KM COM Moroni Comorian|CG COG Brazzaville -
CD COD Kinshasa Congolese|CR CRI - Costa_Rican|CI CIV Abidjan,Yamoussoukro Ivorian|HR HRV Zagreb Croatian|CU CUB Havana Cuban
CY CYP Nicosia Cypriot|CZ CZE Prague Czech|DK DNK Copenhagen Danish|DJ DJI - Djiboutian|DM DMA Roseau -|DO DOM Santo_Domingo -
EC ECU Quito Ecuadorian|EG EGY Cairo Egyptian|SV SLV San_Salvador Salvadoran|GQ GNQ Malabo -|ER ERI Asmara Eritrean
EE EST Tallinn Estonian|SZ SWZ Mbabane Swazi|ET ETH Addis_Ababa Ethiopian|FJ FJI Suva Fijian|FI FIN Helsinki Finnish
FR FRA Paris French|GA GAB Libreville Gabonese|GM GMB Banjul Gambian|GE GEO Tbilisi -|DE DEU Berlin German|GH GHA Accra Ghanaian
GR GRC Athens Greek|GD GRD - Grenadian|GT GTM Guatemala_City Guatemalan|GN GIN Conakry Guinean|GW GNB Bissau -|GY GUY - Guyanese
HT HTI Port-au-Prince Haitian|HN HND Tegucigalpa Honduran|HU HUN Budapest Hungarian|IS ISL Reykjavík,Reykjavik Icelandic
IN IND New_Delhi Indian|ID IDN Jakarta Indonesian|IR IRN Tehran Iranian|IQ IRQ Baghdad Iraqi|IE IRL Dublin Irish
IL ISR Jerusalem,Tel_Aviv Israeli|IT ITA Rome Italian|JM JAM - Jamaican|JP JPN Tokyo Japanese|JO JOR Amman Jordanian
KZ KAZ Astana Kazakh|KE KEN Nairobi Kenyan|KI KIR Tarawa -|KP PRK Pyongyang North_Korean|KR KOR Seoul South_Korean
XK XKX Pristina,Prishtina Kosovar|KW KWT - Kuwaiti|KG KGZ Bishkek Kyrgyz|LA LAO Vientiane Laotian|LV LVA Riga Latvian
LB LBN Beirut Lebanese|LS LSO Maseru -|LR LBR Monrovia Liberian|LY LBY Tripoli Libyan|LI LIE Vaduz -|LT LTU Vilnius Lithuanian
LU LUX - -|MG MDG Antananarivo Malagasy|MW MWI Lilongwe Malawian|MY MYS Kuala_Lumpur Malaysian|MV MDV Malé Maldivian
ML MLI Bamako Malian|MT MLT Valletta Maltese|MH MHL Majuro -|MR MRT Nouakchott Mauritanian|MU MUS Port_Louis Mauritian
MX MEX Mexico_City Mexican|FM FSM Palikir -|MD MDA Chișinău,Chisinau Moldovan|MC MCO - -|MN MNG Ulaanbaatar Mongolian
ME MNE Podgorica Montenegrin|MA MAR Rabat Moroccan|MZ MOZ Maputo Mozambican|MM MMR Naypyidaw,Yangon Burmese|NA NAM Windhoek Namibian
NR NRU - -|NP NPL Kathmandu Nepali,Nepalese|NL NLD Amsterdam,The_Hague Dutch|NZ NZL - -|NI NIC Managua Nicaraguan|NE NER Niamey Nigerien
NG NGA Abuja Nigerian|MK MKD Skopje Macedonian|NO NOR Oslo Norwegian|OM OMN Muscat Omani|PK PAK Islamabad Pakistani|PW PLW - Palauan
PS PSE Ramallah,Gaza Palestinian|PA PAN Panama_City Panamanian|PG PNG Port_Moresby -|PY PRY Asunción,Asuncion Paraguayan
PE PER Lima Peruvian|PH PHL Manila Filipino,Philippine|PL POL Warsaw Polish|PT PRT Lisbon Portuguese|QA QAT Doha Qatari
RO ROU Bucharest Romanian|RU RUS Moscow,Kremlin Russian|RW RWA Kigali Rwandan|WS WSM Apia Samoan|ST STP - -
SA SAU Riyadh Saudi|SN SEN Dakar Senegalese|RS SRB Belgrade Serbian|SC SYC - -|SL SLE Freetown -|SG SGP - Singaporean
SK SVK Bratislava Slovak|SI SVN Ljubljana Slovenian|SB SLB Honiara -|SO SOM Mogadishu Somali|ZA ZAF Pretoria South_African
SS SSD Juba South_Sudanese|ES ESP Madrid Spanish|LK LKA Colombo Sri_Lankan|SD SDN Khartoum Sudanese|SR SUR Paramaribo Surinamese
SE SWE Stockholm Swedish|CH CHE Bern Swiss|SY SYR Damascus Syrian|TW TWN Taipei Taiwanese|TJ TJK Dushanbe Tajik
TZ TZA Dodoma Tanzanian|TH THA Bangkok Thai|TL TLS Dili -|TG TGO Lomé Togolese|TO TON - Tongan|TT TTO - Trinidadian|TN TUN Tunis Tunisian
TR TUR Ankara Turkish|TM TKM Ashgabat Turkmen|TV TUV - -|UG UGA Kampala Ugandan|UA UKR Kyiv,Kiev Ukrainian|AE ARE Abu_Dhabi,Dubai Emirati
GB GBR London British|US USA Washington American|UY URY Montevideo Uruguayan|UZ UZB Tashkent Uzbek|VU VUT Port_Vila -|VA VAT - -
VE VEN Caracas Venezuelan|VN VNM Hanoi Vietnamese|YE YEM Sanaa Yemeni|ZM ZMB Lusaka Zambian|ZW ZWE Harare Zimbabwean
HK HKG - -|EH ESH - Sahrawi|GL GRL Nuuk Greenlandic
"""
EXTRA = {
    "US": ["United States of America", "USA", "U.S.", "U.S.A."],
    "GB": ["UK", "U.K.", "Great Britain", "Britain"],
    "RU": ["Russian Federation"],
    "KP": ["DPRK"],
    "AE": ["UAE", "Emirates"],
    "CZ": ["Czech Republic"],
    "TR": ["Türkiye"],
    "CI": ["Ivory Coast"],
    "MM": ["Burma"],
    "CD": ["DR Congo", "DRC"],
    "BA": ["Bosnia"],
    "PS": ["Palestine"],
    "MK": ["Macedonia"],
    "CV": ["Cape Verde"],
    "SZ": ["Swaziland"],
}


def main() -> None:
    locales = [Locale.parse(name) for name in LANGUAGES]
    for line in KNOWN.strip().replace("\n", "|").split("|"):
        code, alpha3, capitals, demonyms = line.split(" ")
        names = [locale.territories[code] for locale in locales] + EXTRA.get(code, [])
        names_of_country = [f"name:{name}" for name in dict.fromkeys(names) if "|" not in name]
        names_of_country += [
            f"capital:{word.replace('_', ' ')}" for word in capitals.split(",") if word != "-"
        ]
        names_of_country += [
            f"demonym:{word.replace('_', ' ')}" for word in demonyms.split(",") if word != "-"
        ]
        sys.stdout.write(f"{code}\t{alpha3}\t{'|'.join(names_of_country)}\n")


if __name__ == "__main__":
    main()
