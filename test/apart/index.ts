export { ApartService } from './apart-service.ts';
export { freePort } from './programs.ts';
