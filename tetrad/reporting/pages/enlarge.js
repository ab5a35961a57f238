// A picture opens over its page. Without this script its link leads to it.
const dialog = document.getElementById("enlarged");

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-enlarge]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  dialog.querySelector("img")?.remove();
  dialog.append(link.querySelector("img").cloneNode()); // with its size, so that nothing moves once it is loaded
  dialog.showModal();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
