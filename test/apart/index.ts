export { ApartService } from './apart-service.ts';
