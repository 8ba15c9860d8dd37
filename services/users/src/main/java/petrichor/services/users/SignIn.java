package petrichor.services.users;

import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.TimeSource;

/**
 * Signs users in by password: local accounts first, then the directory. Attempts are limited, and
 * so are computations of hashes, each of which takes much memory. Whether an account exists shows
 * neither in the answer nor in its time. Thread-safe.
 */
public final class SignIn {
    private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);

    /** Hashes that are computed at once. */
    public static final int HASHES_MAX = 2;

    private static final int WAIT_S = 5;

    private final Accounts accounts;
    private final Directory directory;
    private final AttemptLimit attempts;
    private final Semaphore hashing = new Semaphore(HASHES_MAX, true);
    private volatile @Nullable PasswordHash unknown;

    public SignIn(Accounts accounts, Directory directory, TimeSource time) {
        this.accounts = accounts;
        this.directory = directory;
        this.attempts = new AttemptLimit(time);
    }

    /** Outcome of an attempt. */
    public sealed interface Result {
        record SignedIn(Account account) implements Result {}

        /** Unknown account or wrong password. */
        record Wrong() implements Result {}

        /** Too many attempts; try again in some minutes. */
        record TooMany() implements Result {}
    }

    /**
     * @param address of the client
     */
    public Result signIn(String email, String password, String address) {
        if (!Account.isName(email)) {
            return new Result.Wrong();
        }
        String name = Account.normalized(email);
        if (!attempts.attempt(name, address)) {
            LOG.warn("sign-in of {} from {}: too many attempts", name, address);
            return new Result.TooMany();
        }
        Optional<Account> known = accounts.find(name);
        boolean local = known.isPresent() && known.get().password().isPresent();
        Optional<Boolean> matches =
                matches(known.flatMap(Account::password).orElseGet(this::unknown), password);
        if (matches.isEmpty()) {
            return new Result.TooMany();
        }
        if (local && matches.get()) {
            return signedIn(known.get(), address);
        }
        if (!local && directory.verify(name, password)) {
            return signedIn(accounts.findOrAdd(name), address);
        }
        LOG.warn("sign-in of {} from {}: refused", name, address);
        return new Result.Wrong();
    }

    /** The hash that is checked if there is no account; computed at the first attempt. */
    private PasswordHash unknown() {
        PasswordHash computed = unknown;
        if (computed == null) {
            computed = PasswordHash.of("the password of no account", accounts.random());
            unknown = computed;
        }
        return computed;
    }

    private Result signedIn(Account account, String address) {
        attempts.succeeded(account.email(), address);
        LOG.info("sign-in of {} from {}", account.email(), address);
        return new Result.SignedIn(account);
    }

    /** Empty if too many hashes are being computed. */
    private Optional<Boolean> matches(PasswordHash hash, String password) {
        try {
            if (!hashing.tryAcquire(WAIT_S, TimeUnit.SECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            return Optional.of(hash.matches(password));
        } finally {
            hashing.release();
        }
    }
}
