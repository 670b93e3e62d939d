import { runCampaign } from './campaign.ts';
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const arg = (n: string, d: number): number => {
  const i = process.argv.indexOf(`--${n}`);
  return i < 0 ? d : Number(process.argv[i + 1]);
};
const r = await runCampaign({ seed: arg('seed', 1), faults: arg('faults', 100), minutes: arg('minutes', 5), say });
say(r.report);
