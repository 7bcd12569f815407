"""How pages ask whether they may set cookies, and the one click that answers."""

import json

# As they stand on buttons, in lower case. Only whole labels: "accept" inside a sentence is no button.
LABELS = (
    *("accept all", "accept all cookies", "accept cookies", "accept", "accept and continue", "i accept"),
    *("agree", "i agree", "agree and continue", "allow all", "allow all cookies", "allow cookies"),
    *("got it", "ok", "continue", "consent"),
    *("alle akzeptieren", "akzeptieren", "alle cookies akzeptieren", "alles akzeptieren", "zustimmen"),
    *("akzeptieren und weiter", "ich stimme zu", "einverstanden", "zustimmen und weiter"),
    *("aceptar", "aceptar todo", "aceptar todas", "aceptar y continuar", "aceptar cookies", "acepto"),
    *("tout accepter", "accepter", "accepter et continuer", "accepter tout", "j'accepte", "j’accepte"),
    *("accetta", "accetta tutti", "accetta tutto", "accetto", "accetta e continua"),
    *("aceitar", "aceitar tudo", "aceitar todos", "aceito", "concordo"),
    *("accepteren", "alles accepteren", "akkoord", "alle cookies accepteren", "ik ga akkoord"),
    *("akceptuję", "zaakceptuj wszystko", "zgadzam się"),
    *("godkänn alla", "acceptera alla", "godta alle", "tillad alle", "hyväksy kaikki"),
    *("принять", "принять все", "согласен", "すべて同意", "同意する", "同意", "接受", "全部接受"),
)

# Clicks the first button that can be seen and bears such a label; says whether there was one. A page whose text
# speaks of no cookies and no privacy is not asking for consent, whatever its buttons say.
AGREE = """
(() => {
  const labels = new Set(__LABELS__);
  const about = /cookie|consent|gdpr|dsgvo|rgpd|privacy|datenschutz|privacidad|vie privée|同意/i;
  if (!document.body || !about.test(document.documentElement.outerHTML.slice(0, 500000))) return false;
  const named = (element) => (element.innerText || element.value || "").trim().replace(/\\s+/g, " ").toLowerCase();
  const chosen = [...document.querySelectorAll("button, [role=button], input[type=submit], input[type=button], a")]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => [element, named(element)])
    .filter(([element, name]) => labels.has(name) && !(element.tagName === "A" && /^https?:/.test(element.getAttribute("href") || "")));
  if (chosen.length === 0) return false;
  chosen[0][0].click();
  return true;
})()
""".replace("__LABELS__", json.dumps(LABELS))
