package petrichor.services.users;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.kv.KeyRange;

/**
 * Sessions of signed-in users. A session is a signed text in a cookie: it expires, and ends early
 * when the user signs out, the password changes, or the account is removed. Thread-safe.
 */
public final class Sessions {
    /** Rows of ended sessions that are removed with each new one. */
    private static final int SWEEP_ROWS = 10;

    private static final int ID_BYTES = 16;
    private static final long SECOND_MICROS = 1_000_000;
    private static final String PURPOSE = "session";
    private static final String SEPARATOR = "\n";

    private final Accounts accounts;
    private final Duration lifetime;
    private final TimeSource time;
    private volatile @Nullable Signer signer;

    /**
     * @param lifetime after which a user must sign in again
     */
    public Sessions(Accounts accounts, Duration lifetime, TimeSource time) {
        this.accounts = accounts;
        this.lifetime = lifetime;
        this.time = time;
    }

    public Duration lifetime() {
        return lifetime;
    }

    /** What a valid cookie says. */
    private record Session(byte[] id, String email, String userId, long generation, long expires) {
        static Optional<Session> parse(String text) {
            String[] parts = text.split(SEPARATOR, -1);
            if (parts.length != 5) {
                return Optional.empty();
            }
            try {
                return Optional.of(
                        new Session(
                                HexFormat.of().parseHex(parts[0]),
                                parts[1],
                                parts[2],
                                Long.parseLong(parts[3]),
                                Long.parseLong(parts[4])));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }

    /** The value of the cookie of a new session. */
    public String start(Account account) {
        byte[] id = new byte[ID_BYTES];
        accounts.random().nextBytes(id);
        long expires = time.epochMicros() + lifetime.toSeconds() * SECOND_MICROS;
        return signer().sign(
                        PURPOSE,
                        String.join(
                                SEPARATOR,
                                HexFormat.of().formatHex(id),
                                account.email(),
                                account.id(),
                                Long.toString(account.generation()),
                                Long.toString(expires)));
    }

    /** The account of a cookie; empty if its session has ended or never existed. */
    public Optional<Account> account(String cookie) {
        return session(cookie)
                .flatMap(
                        session ->
                                accounts.find(session.email())
                                        .filter(
                                                account ->
                                                        account.id().equals(session.userId())
                                                                && account.generation()
                                                                        == session.generation()));
    }

    private Optional<Session> session(String cookie) {
        return signer().verify(PURPOSE, cookie)
                .flatMap(Session::parse)
                .filter(session -> session.expires() > time.epochMicros())
                .filter(
                        session ->
                                accounts.rows()
                                                .get(
                                                        AccountRows.endedSession(
                                                                session.expires(), session.id()))
                                        == null);
    }

    /** Ends the session; the cookie is worthless from now on, also where it was copied to. */
    public void end(String cookie) {
        Optional<Session> session = session(cookie);
        if (session.isPresent()) {
            accounts.rows()
                    .change(
                            AccountRows.endedSession(session.get().expires(), session.get().id()),
                            _ -> new byte[0]);
            sweep();
        }
    }

    /** Ended sessions that would have expired need no row. */
    private void sweep() {
        accounts.rows()
                .delete(
                        new KeyRange(
                                AccountRows.endedSessions(),
                                AccountRows.endedUntil(time.epochMicros())),
                        SWEEP_ROWS);
    }

    /** Shared by all servers of a deployment; created at the first use. */
    Signer signer() {
        Signer known = signer;
        if (known != null) {
            return known;
        }
        byte[] row = AccountRows.signingKey();
        byte[] stored = accounts.rows().get(row);
        if (stored == null) {
            byte[] fresh = new byte[Signer.KEY_BYTES];
            accounts.random().nextBytes(fresh);
            accounts.rows().change(row, before -> before == null ? fresh : before);
            stored = accounts.rows().get(row);
        }
        Signer read =
                new Signer(
                        java.util.Objects.requireNonNull(
                                stored, "the signing key was deleted; restart the server"));
        signer = read;
        return read;
    }

    /** Signs a text that the browser brings back, for a purpose and a time. */
    public String seal(String purpose, String text, Duration validity) {
        long until = time.epochMicros() + validity.toSeconds() * SECOND_MICROS;
        return signer().sign(purpose, until + SEPARATOR + text);
    }

    /** The text that was sealed; empty if it was changed or is too old. */
    public Optional<String> unseal(String purpose, String sealed) {
        return signer().verify(purpose, sealed)
                .flatMap(
                        text -> {
                            int end = text.indexOf(SEPARATOR);
                            long until = end < 0 ? 0 : Long.parseLong(text.substring(0, end));
                            return until > time.epochMicros()
                                    ? Optional.of(text.substring(end + 1))
                                    : Optional.empty();
                        });
    }

    /** Random text of a purpose, such as a token against forged requests. */
    public String random() {
        byte[] bytes = new byte[ID_BYTES];
        accounts.random().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
