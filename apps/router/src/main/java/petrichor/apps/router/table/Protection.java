package petrichor.apps.router.table;

import petrichor.base.PetrichorException;

/**
 * Who may use a handler's paths.
 *
 * @param redirectStatus of a redirect between http and https
 */
public record Protection(Login login, AuthFail authFail, Secure secure, int redirectStatus) {
    /** App Engine's default: everyone, over http and https. */
    public static final Protection OPEN =
            new Protection(Login.OPTIONAL, AuthFail.REDIRECT, Secure.OPTIONAL, 302);

    /** Which users. The order is that of strictness. */
    public enum Login {
        OPTIONAL,
        /** Users who are signed in. */
        REQUIRED,
        /** Administrators of the app, and the platform's own requests. */
        ADMIN
    }

    /** What others get. */
    public enum AuthFail {
        /** The login page. */
        REDIRECT,
        /** Status 401. */
        UNAUTHORIZED
    }

    /** Which schemes; the others are redirected. */
    public enum Secure {
        OPTIONAL,
        ALWAYS,
        NEVER
    }

    public Protection {
        if (redirectStatus != 301
                && redirectStatus != 302
                && redirectStatus != 303
                && redirectStatus != 307) {
            throw PetrichorException.invalid(
                    "the status {status} is not one of 301, 302, 303 and 307",
                    "status",
                    redirectStatus);
        }
    }

    /** This protection if its login is at least as strict as the other's. */
    public Protection stricter(Protection other) {
        return login.compareTo(other.login) >= 0 ? this : other;
    }
}
