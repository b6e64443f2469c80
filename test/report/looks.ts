/** What a page looks like from within. The page's side is text, since the project is not compiled for browsers. */
import type { Page } from 'playwright-core';

export interface Focused {
  /** As a screen reader would say it. */
  readonly name: string;
  /** Whether an outline, or the ring of a mark, shows where the keyboard stands. */
  readonly isShown: boolean;
}

export function lookAtFocus(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const { activeElement: element } = document;
    const ring = element.querySelector(':scope > circle');
    const isRinged = ring !== null && getComputedStyle(ring).strokeWidth === '3px';
    const name = element.getAttribute('aria-label') ?? element.querySelector('title')?.textContent;
    const isOutlined = getComputedStyle(element).outlineStyle !== 'none';
    return { name: name ?? element.textContent, isShown: isOutlined || isRinged };
  })()`);
}

/** A computed style of the first element that a selector names. */
export function lookAtStyle(page: Page, selector: string, property: string): Promise<string> {
  const [which, what] = [JSON.stringify(selector), JSON.stringify(property)];
  return page.evaluate<string>(
    `getComputedStyle(document.querySelector(${which})).getPropertyValue(${what})`,
  );
}

/** The least contrast, as WCAG 2 reckons it, of any text outside the charts with the nearest ground behind it. */
export function lookAtContrast(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
      const [red, green, blue] = channels(color).map((part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ground = (element) => {
      const color = getComputedStyle(element).backgroundColor;
      return channels(color)[3] === 0 ? ground(element.parentElement) : color;
    };
    const texts = [...document.querySelectorAll('h1, h2, p, dt, dd, th, td, li, summary')];
    return Math.min(...texts.map((element) => {
      const pair = [luminance(getComputedStyle(element).color), luminance(ground(element))];
      return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    }));
  })()`);
}

/** Numbers on the bars that are wider than the part that they stand on. */
export function lookAtNumbers(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.bars g:has(> rect) > text')]
    .filter((text) => text.getBBox().width > text.parentElement.querySelector('rect').getBBox().width)
    .map((text) => text.textContent)`);
}

/** The width of what there is, and of the window. */
export function lookAtWidths(page: Page): Promise<readonly number[]> {
  return page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
}
