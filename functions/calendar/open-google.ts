/** A Google calendar with application-default credentials. */
import { GoogleAuth } from 'google-auth-library';
import { CALENDAR_SCOPE, GoogleCalendar } from './google.ts';

export function openGoogleCalendar(calendarId: string): GoogleCalendar {
  const auth = new GoogleAuth({ scopes: [CALENDAR_SCOPE] });
  return new GoogleCalendar({
    calendarId,
    auth,
    accountEmail: async () => (await auth.getCredentials()).client_email,
  });
}
