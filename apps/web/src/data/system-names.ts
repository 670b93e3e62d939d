/** The name of a machine metric on the page: the device, and the quantity with its unit. */
export interface SystemName {
  readonly device: string;
  readonly quantity: string;
}

const prefix = 'system/';

/** The devices that the Python client measures, in the order in which the page shows them. */
const devices: Readonly<Record<string, string>> = {
  gpu: 'GPU',
  cpu: 'CPU',
  memory: 'Memory',
  process: 'Process',
  disk: 'Disk',
  network: 'Network',
};

/** Quantities whose names include the unit. */
const bare: Readonly<Record<string, string>> = { percent: 'Utilization (%)', celsius: 'Temperature (°C)', watts: 'Power (W)' };

/** Name suffixes and their units. */
const units = [
  ['_mib_per_second', 'MiB/s'],
  ['_percent', '%'],
  ['_gib', 'GiB'],
] as const;

/** The name of a measurement that the Python client records; null for any other tag. */
export function systemName(tag: string): SystemName | null {
  const [, device = '', number, quantity = ''] = /^system\/([a-z]+)\/(?:([0-9]+)\/)?([a-z_]+)$/.exec(tag) ?? [];
  const name = Object.hasOwn(devices, device) ? devices[device]! : null;
  const shown = quantityName(quantity);
  return name === null || shown === null ? null : { device: number === undefined ? name : `${name} ${number}`, quantity: shown };
}

function quantityName(quantity: string): string | null {
  if (Object.hasOwn(bare, quantity)) return bare[quantity]!;
  const found = units.find(([end]) => quantity.endsWith(end));
  if (!found) return null;
  const words = quantity.slice(0, -found[0].length).replaceAll('_', ' ');
  return `${words === 'cpu' ? 'CPU' : words.charAt(0).toUpperCase() + words.slice(1)} (${found[1]})`;
}

/** The part of a tag that names its device, such as `gpu/0`; empty if there is none. */
export function deviceOf(tag: string): string {
  const last = tag.lastIndexOf('/');
  return last > prefix.length ? tag.slice(prefix.length, last) : '';
}

/**
 * The position of a measurement among those of its device: utilization, then memory and rates, then
 * power, then temperature.
 */
export function quantityRank(tag: string): number {
  const place = ['percent', '', 'watts', 'celsius'].indexOf(tag.slice(tag.lastIndexOf('/') + 1));
  return place === -1 ? 1 : place;
}

/** The position of a device on the page. Known devices come first. */
export function deviceRank(device: string): number {
  const place = Object.keys(devices).indexOf(device.split('/')[0]!);
  return place === -1 ? Object.keys(devices).length : place;
}
