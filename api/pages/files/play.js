// Play without a new page: the same forms and links, answered in place. Without this script they work as they are.
const place = () => document.getElementById("play");

let newest = 0;

async function show(address, isNew) {
  const turn = ++newest; // what comes for an earlier turn is late, and is not shown
  const status = document.getElementById("outcome");
  try {
    const reply = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = page.getElementById("play");
    if (!fresh) {
      location.assign(address);
      return;
    }
    await Promise.all([...fresh.querySelectorAll("img")].map(decoded));
    if (turn !== newest) return;
    const here = document.querySelector("main");
    here.replaceWith(page.querySelector("main"));
    document.title = page.title;
    if (isNew) history.pushState({}, "", reply.url);
    listen();
    announce();
    ahead();
  } catch {
    status.textContent = "The service could not be reached. Your answer is not lost: press the option again.";
    for (const button of place().querySelectorAll("button")) button.disabled = false;
  }
}

// A live region speaks of what changes in it, not of what it held when it came.
function announce() {
  const status = document.getElementById("outcome");
  const said = [...status.childNodes];
  if (!status.textContent.trim()) {
    document.querySelector("#play .asked").tabIndex = -1;
    document.querySelector("#play .asked").focus({ preventScroll: true });
    return;
  }
  status.replaceChildren();
  requestAnimationFrame(() => status.replaceChildren(...said));
  document.getElementById("next")?.focus({ preventScroll: true });
}

function decoded(image) {
  const picture = new Image();
  picture.src = image.getAttribute("src");
  return picture.decode().catch(() => undefined);
}

async function ahead() {
  const next = document.getElementById("next");
  if (!next || !next.classList.contains("main")) return;
  try {
    const reply = await fetch(next.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    for (const image of page.querySelectorAll("#play img")) decoded(image);
  } catch {
    // It is asked for again when it is wanted.
  }
}

function listen() {
  for (const form of place().querySelectorAll("form[data-play]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form, event.submitter);
      for (const button of form.querySelectorAll("button")) button.disabled = true;
      show(`${form.getAttribute("action")}?${new URLSearchParams(data)}`, true);
    });
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const key = event.key.toUpperCase();
  const options = [...place().querySelectorAll("button.option")];
  const named = options.find((option) => option.value === key);
  const counted = /^[1-9]$/.test(key) ? options[Number(key) - 1] : options[key.charCodeAt(0) - 65];
  const chosen = named ?? (/^[1-9A-I]$/.test(key) ? counted : undefined);
  if (chosen) {
    event.preventDefault();
    chosen.click();
  } else if (key === "ENTER" && !event.target.closest("a, button")) {
    const next = document.getElementById("next");
    if (next?.classList.contains("main")) next.click();
  }
});

document.addEventListener("click", (event) => {
  const next = event.target.closest("#next");
  if (!next || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(next.href, true);
});

addEventListener("popstate", () => show(location.href, false));
listen();
ahead();
