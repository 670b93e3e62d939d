import { expect, it } from 'vitest';
import { deviceOf, deviceRank, quantityRank, systemName } from './system-names.ts';

it('names the device and the quantity of what the Python client measures', () => {
  const shown = (tag: string): string => Object.values(systemName(`system/${tag}`) ?? { none: 'none' }).join(': ');
  expect(shown('cpu/percent')).toBe('CPU: Utilization (%)');
  expect(shown('memory/used_percent')).toBe('Memory: Used (%)');
  expect(shown('memory/used_gib')).toBe('Memory: Used (GiB)');
  expect(shown('process/cpu_percent')).toBe('Process: CPU (%)');
  expect(shown('disk/read_mib_per_second')).toBe('Disk: Read (MiB/s)');
  expect(shown('network/received_mib_per_second')).toBe('Network: Received (MiB/s)');
  expect(shown('gpu/12/memory_used_gib')).toBe('GPU 12: Memory used (GiB)');
  expect(shown('gpu/0/celsius')).toBe('GPU 0: Temperature (°C)');
  expect(shown('gpu/0/watts')).toBe('GPU 0: Power (W)');
  for (const other of [
    'cpu',
    'cpu/',
    'cpu/load',
    'fan/percent',
    'constructor/percent',
    'cpu/constructor',
    'gpu/x/percent',
    '',
    'CPU/percent',
  ])
    expect(shown(other)).toBe('none');
  expect(systemName('train/percent')).toBeNull();
});

it('finds the device of a tag, and its place on the page', () => {
  expect(['system/gpu/0/watts', 'system/cpu/percent', 'system/load', 'system/'].map(deviceOf)).toEqual(['gpu/0', 'cpu', '', '']);
  const devices = ['network', 'fan', 'gpu/3', 'cpu', ''];
  expect(devices.toSorted((a, b) => deviceRank(a) - deviceRank(b))).toEqual(['gpu/3', 'cpu', 'network', 'fan', '']);
});

it('puts utilization first, and temperature last', () => {
  const tags = ['celsius', 'memory_used_gib', 'percent', 'watts'].map((name) => `system/gpu/0/${name}`);
  const sorted = tags.toSorted((a, b) => quantityRank(a) - quantityRank(b));
  expect(sorted.map((tag) => tag.slice('system/gpu/0/'.length))).toEqual(['percent', 'memory_used_gib', 'watts', 'celsius']);
});
