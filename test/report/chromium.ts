/**
 * A real Chromium for the tests of the report: at CHROMIUM_PATH or where Debian puts it. Where there is none, those tests
 * alone are skipped and a line says how to get it; with CI=true that is a failure, so that nobody takes a skipped run
 * for a tested one.
 */
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const HOW_TO_GET_IT =
  'The tests of the report in a browser are skipped. They need Chromium: `apt-get install chromium`, or set CHROMIUM_PATH to a Chrome or Chromium.';
const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** It speaks to nobody: a request that is seen was made by the page. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined where there is none. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = env['CHROMIUM_PATH'];
  const found = (given === undefined ? USUAL_PATHS : [given]).find((path) => existsSync(path));
  if (found !== undefined) return found;
  if (env['CI'] === 'true') throw new Error(HOW_TO_GET_IT);
  process.stderr.write(`${HOW_TO_GET_IT}\n`);
  return undefined;
}

/** Headless and with a profile of its own, which goes with it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}
