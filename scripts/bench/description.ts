/** The reader of event descriptions: HTML to text, text to counts and findings; what people write and what attackers would. */
import { readDescription } from '../../functions/domain/description.ts';
import { toPlainText } from '../../functions/calendar/description-text.ts';
import { figureOf } from './figure.ts';
import type { Count, Figure, Findings } from './figure.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { timeRuns } from './timing.ts';

interface Sample {
  readonly name: string;
  readonly description: string;
  /** Sum of the counts that it asks for. */
  readonly asks: number;
}

const SAMPLES: readonly Sample[] = [
  { name: 'two plain lines', description: 'base: 3\nworkshop: 1', asks: 4 },
  {
    name: 'rich text',
    description: '<p><span>base: 3</span><br><b>workshop</b>:&nbsp;1</p><p>see you at nine</p>',
    asks: 4,
  },
  {
    name: '8,000 characters of prose, one count',
    description: `${'Please read chapter 4 before the lab, and bring questions.\n'.repeat(135)}base: 2`,
    asks: 2,
  },
  {
    name: '10 kB',
    description: `${'<p>Please read chapter 4&nbsp;(pages 30-45) before the lab: bring questions.</p>'.repeat(122)}${'<br>'.repeat(20)}base: 3`,
    asks: 3,
  },
  {
    name: 'hostile: tags nested 5,000 deep',
    description: `${'<div>'.repeat(5000)}base: 2${'</div>'.repeat(5000)}`,
    asks: 0,
  },
  {
    name: 'hostile: 20,000 colons and spaces',
    description: `${': '.repeat(10_000)}\nbase: 2`,
    asks: 0,
  },
];

const POOLS = ['base', 'workshop', 'gpu'];

export const description: Scenario = {
  name: 'description',
  about: 'one event description, from what the calendar stores to counts and findings',
  run: measure,
};

async function measure({ isSmoke }: BenchContext): Promise<Findings> {
  const figures: Figure[] = [];
  const counts: Count[] = [];
  for (const { name, description: stored, asks } of SAMPLES) {
    const read = () => readStored(stored);
    const seconds = await timeRuns(read, { samples: isSmoke ? 3 : 20, runs: isSmoke ? 2 : 20 });
    figures.push(
      figureOf(
        name,
        'µs',
        seconds.map((one) => one * 1e6),
      ),
    );
    const found = read().event.requests.reduce((total, { count }) => total + count, 0);
    counts.push({ name: `${name}: placeholders asked for`, expected: asks, found });
  }
  const found = figures.find(({ name }) => name === '10 kB')?.median ?? Number.NaN;
  return { figures, counts, bars: [{ name: '10 kB: median', atMost: 5000, found, unit: 'µs' }], notes: [] };
}

function readStored(stored: string): ReturnType<typeof readDescription> {
  const event = { id: 'e', title: 'Data 8 lab', text: toPlainText(stored).text, startAt: 0, endAt: 1 };
  return readDescription(event, POOLS);
}
