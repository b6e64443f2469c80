import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderReport } from '../../functions/report/html.ts';
import { referenceMorning } from '../../functions/simulation/reference-morning.ts';
import type { TrialResult } from '../../functions/simulation/trial.ts';
import { runTrial } from '../../functions/simulation/trial.ts';
import { findChromium, launchChromium } from './chromium.ts';
import type { Focused } from './looks.ts';
import { lookAtContrast, lookAtFocus, lookAtNumbers, lookAtStyle, lookAtWidths } from './looks.ts';

const HOSTILE =
  '</title><script>window.wasRun = 1</script><img src="https://example.com/x.png">\u001b[31m\u202e';
const DESKTOP = { width: 1100, height: 900 };
const PHONE = { width: 390, height: 844 };

const executable = findChromium(process.env);

/** A page, with everything that it said or asked for. */
interface Opened {
  readonly page: Page;
  readonly said: readonly string[];
  readonly requests: readonly string[];
}

describe.skipIf(executable === undefined)('the report in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const address = pathToFileURL(join(folder, 'report.html')).href;
  const hostileAddress = pathToFileURL(join(folder, 'hostile.html')).href;
  let browser: Browser;
  let result: TrialResult;

  beforeAll(async () => {
    const reference = referenceMorning();
    result = await runTrial(reference, {
      seed: 1,
      compare: [{ kind: 'plain' }, { kind: 'none' }, { kind: 'constant', replicas: 3 }],
    });
    const events = reference.events.map((event) => ({ ...event, title: HOSTILE }));
    const hostile = await runTrial({ ...reference, name: HOSTILE, events }, { seed: 1, compare: [] });
    writeFileSync(join(folder, 'report.html'), renderReport(result));
    writeFileSync(join(folder, 'hostile.html'), renderReport(hostile));
    browser = await launchChromium(executable ?? '');
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await browser.newContext({ viewport: DESKTOP, ...options });
    const page = await context.newPage();
    const said: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url, { waitUntil: 'load' });
    return { page, said, requests };
  }

  it('says nothing, asks for nothing but itself, and shows the key figures', async () => {
    const { page, said, requests } = await open(address);
    const text = await page.locator('main').innerText();
    expect(said).toEqual([]);
    expect(requests).toEqual([address]);
    expect(await page.title()).toBe('Simulation: reference morning');
    expect(text).toMatch(/95 % wait at most\s+3\ss\s/);
    expect(text).toMatch(/waited over a minute\s+0 of 60\s/);
    expect(text).toMatch(/longest wait\s+3\ss\s/);
    expect(text).toMatch(/node-hours; 3\.1 with perfect foresight\s+7\.2\s/);
    expect(text).toMatch(/cost\s+7\.18\s/);
    expect(text).toMatch(/of them idle\s+3\.7\s/);
    expect(text).toMatch(/^constant:3\s+3 min 33 s\s+6 min 31 s/m);
    await page.context().close();
  });

  it('lets hostile titles be text, in the page and in the charts', async () => {
    const { page, said, requests } = await open(hostileAddress);
    expect(said).toEqual([]);
    expect(requests).toEqual([hostileAddress]);
    expect(await page.evaluate<boolean>("'wasRun' in window")).toBe(false);
    expect(await page.locator('script, img, iframe').count()).toBe(0);
    expect(await page.locator('h1').innerText()).toContain('<script>window.wasRun = 1</script>');
    const source = await page.content();
    expect(source.includes('\u001b') || source.includes('\u202e')).toBe(false);
    await page.context().close();
  });

  it('is all within reach of the keyboard, which shows where it stands', async () => {
    const { page } = await open(address);
    const stops: Focused[] = [];
    for (let press = 0; press < 20; press += 1) {
      await page.keyboard.press('Tab');
      stops.push(await lookAtFocus(page));
    }
    const { run } = result;
    const reached = stops.slice(0, 3 + run.changes.length);
    expect(reached.map(({ name }) => name)).toEqual([
      'Policies compared',
      'Timeline',
      ...run.changes.map(({ reason }) => expect.stringContaining(reason) as string),
      `${String(run.changes.length)} decisions that changed a count`,
    ]);
    expect(reached.filter(({ isShown }) => !isShown)).toEqual([]);
    await page.context().close();
  });

  it('shows a decision’s reason to the keyboard, to touch and to the mouse', async () => {
    const { page } = await open(address, { hasTouch: true });
    const [mark, other, third] = [0, 1, 4].map((index) => page.locator('.mark').nth(index));
    const reasonOf = (of: typeof mark): Promise<boolean> | undefined => of?.locator('.reason p').isVisible();
    expect(await reasonOf(other)).toBe(false);
    await other?.focus();
    expect(await reasonOf(other)).toBe(true);
    expect(await other?.locator('.reason p').innerText()).toContain(result.run.changes[1]?.reason);
    await mark?.locator('circle').hover();
    expect(await reasonOf(mark)).toBe(true);
    await third?.locator('circle').tap();
    expect(await reasonOf(third)).toBe(true);
    await page.context().close();
  });

  it('opens the list of decisions without a mouse', async () => {
    const { page } = await open(address);
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    const reasons = await page.locator('details td.words').allInnerTexts();
    expect(reasons).toEqual(result.run.changes.map(({ reason }) => reason));
    await page.context().close();
  });

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(13, 17, 23)'],
  ] as const)('is readable in %s', async (colorScheme, paper) => {
    const { page } = await open(address, { colorScheme });
    expect(await lookAtStyle(page, 'body', 'background-color')).toBe(paper);
    // Level AA of WCAG 2.
    expect(await lookAtContrast(page)).toBeGreaterThan(4.5);
    await page.context().close();
  });

  it.each([
    ['a phone', address, PHONE],
    ['a phone, with titles of one long word', hostileAddress, PHONE],
    ['a desktop', address, DESKTOP],
  ])('needs no sideways scrolling on %s', async (_name, url, viewport) => {
    const { page } = await open(url, { viewport });
    await page.locator('summary').click();
    expect(await lookAtWidths(page)).toEqual([viewport.width, viewport.width]);
    await page.context().close();
  });

  it('keeps numbers within their bars on a phone, and units with their numbers', async () => {
    const [own] = result.summaries;
    const waits = { ...own!.waits, visits: 23_115, histogram: [19_000, 90, 700, 1000, 1414, 911], p95: 401 };
    const crowded = { ...result, summaries: [{ ...own!, waits, nodeHours: 4470.9, idleNodeHours: 400 }] };
    writeFileSync(join(folder, 'crowded.html'), renderReport(crowded));
    const { page } = await open(pathToFileURL(join(folder, 'crowded.html')).href, { viewport: PHONE });
    expect(await page.locator('.bars g:has(> rect) > text').count()).toBeGreaterThan(1);
    expect(await lookAtNumbers(page)).toEqual([]);
    expect(await page.locator('.cards dd').first().innerText()).toBe('6\u00A0min 41\u00A0s');
    await page.context().close();
  });

  it('prints dark on white and whole, whatever the screen’s colours', async () => {
    const { page } = await open(address, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await lookAtStyle(page, 'body', 'background-color')).toBe('rgb(255, 255, 255)');
    expect(await lookAtStyle(page, '.scroll', 'overflow-x')).toBe('visible');
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.context().close();
  });
});
