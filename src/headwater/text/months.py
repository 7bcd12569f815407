"""Names of months as pages write them, in the forms that stand in a date."""

# Twelve per line, in the case that follows a day where a language has cases. Where two languages give a name to two
# months, the earlier line decides: it is the one that more pages are written in.
_CUT_SHORT = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
jänner feber maerz april mai juni juli august september oktober november dezember
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
januari februari maret april mei juni juli agustus september oktober november desember
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
януари февруари март април май юни юли август септември октомври ноември декември
јануар фебруар март април мај јун јул август септембар октобар новембар децембар
"""
# Languages whose short forms are not the first letters, or would be taken for a month of the others.
_WHOLE = """
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
január február március április május június július augusztus szeptember október november december
siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca
januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra
sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
"""
_OTHER_SHORT = {"mrz": 3, "mrt": 3, "févr": 2, "fév": 2, "juil": 7, "déc": 12, "set": 9, "out": 10, "ноя": 11}
_CUTS = (3, 4)


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for line in (_CUT_SHORT + _WHOLE).split("\n"):
        for number, name in enumerate(line.split(), 1):
            table.setdefault(name, number)
    for line in _CUT_SHORT.split("\n"):
        for number, name in enumerate(line.split(), 1):
            for length in _CUTS:
                table.setdefault(name[:length], number)
    return table | _OTHER_SHORT


MONTHS = _table()
