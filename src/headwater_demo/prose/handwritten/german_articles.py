"""Artikel in deutscher Sprache."""

from headwater_demo.prose.handwritten.short_form import handwritten

GERMAN = (
    handwritten(
        "protocols",
        "Stromausfall in Rotterdam: Wie das Netz Palisade eine Stunde lang allein weiterlief",
        "Greta Falk",
        "palisade, ausfall, knoten",
        """
        Ein Stromausfall in einem Rechenzentrum bei Rotterdam hat am Dienstag gut ein Drittel aller Knoten des Netzes Palisade abgeschaltet. Die Kette lief trotzdem weiter, wenn auch langsamer.
        Um 14.12 Uhr verschwanden innerhalb weniger Sekunden 410 von 1.180 Knoten. Die übrigen brauchten vier Minuten, bis sie sich auf eine neue Reihenfolge geeinigt hatten. In dieser Zeit wurden keine Zahlungen bestätigt, verloren ging nach Angaben der Entwickler keine einzige.
        Danach dauerte eine Bestätigung rund zwanzig statt sechs Sekunden. Erst als der Strom nach 68 Minuten zurückkam und die Knoten den Rückstand aufgeholt hatten, war alles wie zuvor.
        Die Entwickler sprechen von einer Probe, die niemand bestellt hatte. „Wir haben diesen Fall dreimal auf dem Papier durchgespielt und einmal falsch“, sagte Viktor Lindqvist, der die Arbeit am Netz koordiniert. Falsch war die Annahme, dass sich die Betreiber über die ganze Welt verteilen. Tatsächlich stehen in zwei Gebäuden mehr Knoten als in ganz Südamerika.
        Die Stiftung hinter dem Netz will Betreibern nun einen Zuschuss zahlen, wenn sie umziehen. Vorgesehen sind 400 Euro je Knoten, höchstens aber 50 Knoten je Unternehmen. Über den Vorschlag wird bis Ende November abgestimmt.
        """,
    ),
    handwritten(
        "markets",
        "Warum Sparkassenkunden plötzlich nach Verwahrung fragen",
        "Anton Brandt",
        "verwahrung, banken, privatanleger",
        """
        In den Filialen mehrerer Sparkassen häufen sich seit dem Sommer Fragen nach der Verwahrung digitaler Werte. Das zeigt eine Umfrage des Hauses Winterstein Analytics unter 240 Beraterinnen und Beratern.
        Zwei Drittel von ihnen wurden im Oktober mindestens einmal in der Woche darauf angesprochen, im Frühjahr war es ein Fünftel. Gefragt wird selten nach Gewinnen. Die meisten wollen wissen, was mit den Münzen geschieht, wenn sie sterben, umziehen oder das Telefon verlieren.
        Die Institute sind darauf unterschiedlich vorbereitet. Einige arbeiten mit dem Verwahrer Quarzhafen zusammen, der die Schlüssel auf drei Standorte verteilt und dafür 0,4 Prozent im Jahr verlangt. Andere verweisen auf ein Merkblatt aus dem Jahr 2022.
        „Die Leute kommen nicht mit einer Wette, sie kommen mit einem Schuhkarton“, erzählt Petra Strand, die in Kassel berät. In einem dieser Kartons lag im September ein Zettel mit 24 Wörtern, von denen zwei nicht mehr zu lesen waren. Die Wiederherstellung gelang nach einem Nachmittag.
        Verbraucherschützer begrüßen das Interesse, mahnen aber zur Vorsicht. Wer einen Verwahrer beauftragt, solle prüfen, ob die Werte im Fall einer Insolvenz getrennt bleiben, und sich das schriftlich geben lassen.
        """,
    ),
)
