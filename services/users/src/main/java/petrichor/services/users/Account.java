package petrichor.services.users;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * A user.
 *
 * @param email in lower case; the name of the account
 * @param id never changes and is never used again; digits, as App Engine's
 * @param password hash; empty if another service checks the password
 * @param generation raised to end all sessions of the account
 */
public record Account(
        String email, String id, Optional<PasswordHash> password, Roles roles, long generation) {
    public static final int EMAIL_CHARS_MAX = 254;

    private static final Pattern EMAIL =
            Pattern.compile("[^\\s@\\p{Cntrl}]{1,64}@[a-z0-9.-]{1,189}");

    /**
     * What an account may do, beyond using apps.
     *
     * @param cloudAdmin administrator of every app and of the platform
     * @param adminOf apps that it administers
     */
    public record Roles(boolean cloudAdmin, Set<String> adminOf) {
        public static final Roles NONE = new Roles(false, Set.of());

        public Roles {
            adminOf = Set.copyOf(adminOf);
        }

        public boolean administers(String project) {
            return cloudAdmin || adminOf.contains(project);
        }
    }

    public Account {
        if (!email.equals(normalized(email))) {
            throw new IllegalArgumentException("not normalized");
        }
    }

    /** INVALID_ARGUMENT if it is not an address. */
    static String normalized(String email) {
        String lower = email.strip().toLowerCase(Locale.ROOT);
        if (lower.length() > EMAIL_CHARS_MAX || !EMAIL.matcher(lower).matches()) {
            throw PetrichorException.invalid(
                    "an account is named by an address such as a@b.example");
        }
        return lower;
    }

    /** Whether a text can name an account. */
    static boolean isName(String email) {
        String lower = email.strip().toLowerCase(Locale.ROOT);
        return lower.length() <= EMAIL_CHARS_MAX && EMAIL.matcher(lower).matches();
    }

    Account with(Roles other) {
        return new Account(email, id, password, other, generation);
    }

    /** A new password ends the sessions. */
    Account with(PasswordHash other) {
        return new Account(email, id, Optional.of(other), roles, generation + 1);
    }

    Account withoutSessions() {
        return new Account(email, id, password, roles, generation + 1);
    }
}
