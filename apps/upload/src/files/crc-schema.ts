import { z } from 'zod';

/** A CRC-32C in a request body: eight hex digits, or an unsigned number. */
export const crcSchema = z.union([
  z.int().min(0).max(0xffff_ffff),
  z
    .string()
    .max(8)
    .regex(/^[0-9a-fA-F]{8}$/, 'a CRC-32C is eight hex digits')
    .transform((digits) => Number.parseInt(digits, 16)),
]);
