// Progress of evaluations without a new page: the parts that change are fetched and put in place. Without this script
// the page shows how far they were when it was loaded.
const EVERY = 2000; // milliseconds
const RARELY = 15000; // in a tab that nobody looks at, and while the service does not answer
const live = () => document.getElementById("live");

async function look() {
  let pause = document.hidden ? RARELY : EVERY;
  try {
    const reply = await fetch(live().dataset.liveFrom, { headers: { Accept: "text/html" } });
    if (reply.status === 401) {
      location.reload();
      return;
    }
    if (reply.ok) show(new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("live"));
    else pause = RARELY;
  } catch {
    pause = RARELY;
  }
  if (live().dataset.going !== "0") setTimeout(look, pause);
}

// A part that has the focus stays while it says the same: a button must not vanish under a finger.
function show(fresh) {
  const before = live();
  if (fresh.dataset.going !== before.dataset.going) {
    document.getElementById("told").textContent = "An evaluation has begun, paused or ended.";
    before.replaceWith(fresh);
    return;
  }
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const here = before.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
    if (!here) {
      before.replaceWith(fresh);
      return;
    }
    if (here.innerHTML !== part.innerHTML) here.innerHTML = part.innerHTML;
  }
}

if (live().dataset.going !== "0") setTimeout(look, EVERY);
