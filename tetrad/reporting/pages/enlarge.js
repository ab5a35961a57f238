// A picture opens over its page. Without this script its link leads to it.
const dialog = document.getElementById("enlarged");
const picture = dialog.appendChild(new Image());

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-enlarge]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const small = link.querySelector("img");
  picture.src = small.src;
  picture.alt = small.alt;
  dialog.showModal();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
