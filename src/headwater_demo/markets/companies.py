"""The companies of the demo's stock exchange; none of them exists."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Company:
    ticker: str
    name: str
    sector: str
    cik: str

    @property
    def legal_name(self) -> str:
        return f"{self.name} Inc."

    @property
    def short_name(self) -> str:
        return self.name.split()[0]


COMPANIES = tuple(
    Company(*row)
    for row in (
        ("NGSC", "Northgate Semiconductors", "Semiconductors", "0001999901"),
        ("QZEL", "Quellzone Electronics", "Semiconductors", "0001999902"),
        ("TRVX", "Trivexa Micro", "Semiconductors", "0001999903"),
        ("OLMC", "Olmara Circuits", "Semiconductors", "0001999904"),
        ("PLYC", "Polycrest Silicon", "Semiconductors", "0001999905"),
        ("VNTC", "Ventrica Software", "Software", "0001999906"),
        ("KDRA", "Kadera Systems", "Software", "0001999907"),
        ("BLTW", "Baltwick Cloud", "Software", "0001999908"),
        ("ZNTD", "Zenthora Data", "Software", "0001999909"),
        ("MRLK", "Marlock Analytics", "Software", "0001999910"),
        ("HVNB", "Havenbrook Bancorp", "Banking", "0001999911"),
        ("CSTN", "Castellmoor Trust", "Banking", "0001999912"),
        ("ORBF", "Orbury Financial", "Banking", "0001999913"),
        ("WLDM", "Weldmoor Savings", "Banking", "0001999914"),
        ("FNRK", "Fenrock Capital", "Banking", "0001999915"),
        ("BRSK", "Braskholm Petroleum", "Energy", "0001999916"),
        ("TDLW", "Tidelow Energy", "Energy", "0001999917"),
        ("SLNR", "Solnara Power", "Energy", "0001999918"),
        ("HTHG", "Hathgrid Utilities", "Energy", "0001999919"),
        ("GLDV", "Gladevane Wind", "Energy", "0001999920"),
        ("MDVR", "Medvira Therapeutics", "Health", "0001999921"),
        ("CLNX", "Clinaxa Laboratories", "Health", "0001999922"),
        ("PRVT", "Provanta Devices", "Health", "0001999923"),
        ("ANSL", "Ansolis Biotech", "Health", "0001999924"),
        ("BTHV", "Bethaven Care", "Health", "0001999925"),
        ("MPLW", "Mapleworth Stores", "Consumer", "0001999926"),
        ("CRTH", "Cartheon Markets", "Consumer", "0001999927"),
        ("DLMR", "Delmira Apparel", "Consumer", "0001999928"),
        ("FRWK", "Farwick Foods", "Consumer", "0001999929"),
        ("HRTN", "Hearthane Home", "Consumer", "0001999930"),
        ("STLM", "Steelmora Works", "Industrials", "0001999931"),
        ("AERQ", "Aerquist Aviation", "Industrials", "0001999932"),
        ("RLWN", "Railwen Logistics", "Industrials", "0001999933"),
        ("PMPL", "Pumpelle Machinery", "Industrials", "0001999934"),
        ("CNVR", "Conveyra Robotics", "Industrials", "0001999935"),
        ("SGNW", "Signalwen Telecom", "Media and telecom", "0001999936"),
        ("LMRA", "Luminora Media", "Media and telecom", "0001999937"),
        ("CBLY", "Cablyth Networks", "Media and telecom", "0001999938"),
        ("PXLR", "Pixelora Studios", "Media and telecom", "0001999939"),
        ("ECHW", "Echowick Radio", "Media and telecom", "0001999940"),
        ("OREC", "Orechelle Mining", "Materials", "0001999941"),
        ("CPRV", "Copperveil Metals", "Materials", "0001999942"),
        ("TMBK", "Timbrook Forest", "Materials", "0001999943"),
        ("CHMX", "Chemaxa Chemicals", "Materials", "0001999944"),
        ("LTHV", "Lithavale Resources", "Materials", "0001999945"),
        ("ESTV", "Estavale Properties", "Real estate", "0001999946"),
        ("TWRH", "Towerhaven Trust", "Real estate", "0001999947"),
        ("WRHM", "Warehamlet Storage", "Real estate", "0001999948"),
        ("LFTM", "Loftmoor Living", "Real estate", "0001999949"),
        ("GRNF", "Greenfold Land", "Real estate", "0001999950"),
    )
)
BY_TICKER = {company.ticker: company for company in COMPANIES}
