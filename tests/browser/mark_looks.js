// Marks one of the texts that differ in nothing that axe's rules of colours read, in themselves or in what is around them.
() => {
  const numbers = new Map(), lookOf = new Map(), marked = new Set();
  for (const element of document.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const look = [lookOf.get(element.parentElement), element.tagName, style.color, style.backgroundColor,
      style.backgroundImage, style.opacity, style.fontSize, style.fontWeight, style.textDecorationLine,
      style.textShadow].join();
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    lookOf.set(element, numbers.get(look));
    const hasText = element.matches("input, select, textarea") ||
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    element.toggleAttribute("data-look", hasText && !marked.has(look));
    if (hasText) marked.add(look);
  }
}
