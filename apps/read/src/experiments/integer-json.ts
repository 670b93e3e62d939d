import { z } from 'zod';

/** Counts and bytes: numbers, or strings beyond 2^53. */
export const integerJson = z.union([z.int(), z.string().regex(/^-?[0-9]+$/)]);
