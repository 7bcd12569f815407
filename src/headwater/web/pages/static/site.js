// What pages gain from a script; every page can be read without it.
(() => {
  "use strict";
  // As the server writes dates: the day first, and a clock of 24 hours.
  const language = { en: "en-GB" }[document.documentElement.lang] || document.documentElement.lang;
  const forms = {
    full: new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" }),
    day: new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" }),
  };

  // Times in the reader's zone. Ages keep their words and show the time on hover.
  const showTimes = (root) => {
    for (const element of root.querySelectorAll("time[data-form]")) {
      const moment = new Date(element.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      if (element.dataset.form === "title") element.title = forms.full.format(moment);
      else element.textContent = forms[element.dataset.form].format(moment);
    }
  };

  const items = () => [...document.querySelectorAll("[data-item]")].filter((item) => item.offsetParent !== null);
  const linkOf = (item) => item.querySelector("[data-open]") || item.querySelector("a, button, input") || item;
  const move = (step) => {
    const all = items();
    if (!all.length) return;
    const here = all.findIndex((item) => item.contains(document.activeElement));
    const next = all[Math.min(all.length - 1, Math.max(0, here < 0 ? 0 : here + step))];
    linkOf(next).focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const go = (path) => {
    const link = [...document.querySelectorAll(".site-nav a")].find((item) => item.pathname.endsWith(path));
    if (link) link.click();
  };
  const places = { s: "/", f: "/search", m: "/map", d: "/documents", o: "/operate" };
  let isGoing = false;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (isGoing) {
      isGoing = false;
      if (places[event.key]) { event.preventDefault(); go(places[event.key]); return; }
    }
    // A page says with data-key which of its buttons and links a key presses.
    const pressed = [...document.querySelectorAll("[data-key]")].find((item) => item.dataset.key === event.key && !item.disabled);
    const dialog = document.getElementById("keys");
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "g") isGoing = true;
    else if (event.key === "/") document.querySelector("[data-search]").focus();
    else if (event.key === "?") dialog.open ? dialog.close() : dialog.showModal();
    else if (pressed) pressed.matches("input, textarea, select") ? pressed.focus() : pressed.click();
    else return;
    event.preventDefault();
  });

  // A link that opens in a frame of the page: show which one, and the frame.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[target]");
    const frame = link && [...document.querySelectorAll("iframe")].find((item) => item.name === link.target);
    if (!frame) return;
    for (const other of document.querySelectorAll("a[target][aria-current]")) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    frame.scrollIntoView({ block: "nearest" });
  });

  // The page that is open is visible among those beside it, also on a phone.
  for (const here of document.querySelectorAll(".tabs [aria-current], .site-nav [aria-current]")) {
    const row = here.closest(".tabs, ul");
    row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.clientWidth) / 2;
  }
  // A part that shows what happens now is read again while the page is visible, unless the reader is in it.
  const refresh = async (part) => {
    if (document.hidden || part.contains(document.activeElement)) return;
    const answer = await fetch(location.href, { headers: { "HX-Request-Type": "partial" } });
    if (!answer.ok) return;
    part.innerHTML = await answer.text();
    showTimes(part);
  };
  for (const part of document.querySelectorAll("[data-refresh]")) {
    setInterval(() => refresh(part).catch(() => {}), 1000 * Number(part.dataset.refresh));
  }
  document.addEventListener("htmx:after:swap", () => showTimes(document));
  showTimes(document);
})();
