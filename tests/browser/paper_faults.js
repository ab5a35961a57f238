// What is wrong with a page on paper: not black on white, of use on a screen alone, or cut off.
() => {
  const visible = [...document.body.querySelectorAll("*")].filter((element) => element.checkVisibility());
  const isForScreens = (element) => element.matches(".top nav, .foot, .filter, button:not(.option, .bare)");
  const isCut = (element) => getComputedStyle(element).overflowX !== "visible" && !element.closest("svg, .hide") &&
    (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
  const { backgroundColor, color } = getComputedStyle(document.body);
  return [
    ...[backgroundColor, color].filter((found, place) => found !== ["rgb(255, 255, 255)", "rgb(0, 0, 0)"][place]),
    ...visible.filter(isForScreens).map((element) => `of use on a screen: ${element.outerHTML.slice(0, 120)}`),
    ...visible.filter(isCut).map((element) => `cut: ${element.outerHTML.slice(0, 120)}`),
  ];
}
