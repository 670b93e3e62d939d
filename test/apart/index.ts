export { Program, type ProgramEnd, type ProgramKind } from './program.ts';
export { freePort, migrate, Programs } from './programs.ts';
export { ApartService, type ApartOptions } from './apart-service.ts';
