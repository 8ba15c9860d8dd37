package petrichor.services.users;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.transactions.Database;

/**
 * The accounts of a deployment. Writes are durable when a method returns, and run on the server
 * that owns the system database. Thread-safe.
 */
public final class Accounts {
    /** Name of the system database; no project can have it. */
    public static final String DATABASE = "$system";

    public static final int ACCOUNTS_MAX = 100_000;

    /** Ids have 21 digits, as App Engine's. */
    private static final int ID_DIGITS = 21;

    private final SystemRows rows;
    private final RandomGenerator random;

    /**
     * @param database the system database
     * @param random cryptographically strong
     */
    public Accounts(Supplier<Database> database, RandomGenerator random) {
        this.rows = new SystemRows(database);
        this.random = random;
    }

    SystemRows rows() {
        return rows;
    }

    RandomGenerator random() {
        return random;
    }

    /** ALREADY_EXISTS if there is such an account. */
    public Account add(String email, Optional<String> password) {
        if (list().size() >= ACCOUNTS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "there are {accountsMax} accounts already; use a directory",
                    "accountsMax",
                    ACCOUNTS_MAX);
        }
        Account fresh = fresh(email, password.map(text -> PasswordHash.of(text, random)));
        rows.change(
                AccountRows.account(fresh.email()),
                before -> {
                    if (before != null) {
                        throw PetrichorException.of(
                                ErrorCode.ALREADY_EXISTS,
                                "the account {email} exists already",
                                "email",
                                fresh.email());
                    }
                    return AccountRows.encode(fresh);
                });
        return fresh;
    }

    private Account fresh(String email, Optional<PasswordHash> password) {
        StringBuilder id = new StringBuilder("1");
        while (id.length() < ID_DIGITS) {
            id.append(random.nextInt(10));
        }
        return new Account(
                Account.normalized(email), id.toString(), password, Account.Roles.NONE, 1);
    }

    /** The account of a user identified by another service; created at the first sign-in. */
    Account findOrAdd(String email) {
        Account fresh = fresh(email, Optional.empty());
        rows.change(
                AccountRows.account(fresh.email()),
                before -> before == null ? AccountRows.encode(fresh) : before);
        return find(email).orElse(fresh);
    }

    public Optional<Account> find(String email) {
        if (!Account.isName(email)) {
            return Optional.empty();
        }
        return Optional.ofNullable(rows.get(AccountRows.account(Account.normalized(email))))
                .map(AccountRows::decode);
    }

    /** In the order of their addresses. */
    public List<Account> list() {
        return rows.scan(KeyRange.ofPrefix(AccountRows.accounts())).stream()
                .map(AccountRows::decode)
                .toList();
    }

    /** Addresses of the administrators of an app. */
    public List<String> admins(String project) {
        return list().stream()
                .filter(account -> account.roles().administers(project))
                .map(Account::email)
                .toList();
    }

    /** NOT_FOUND if there is no such account. Its sessions end. */
    public void remove(String email) {
        String name = Account.normalized(email);
        rows.change(
                AccountRows.account(name),
                before -> {
                    if (before == null) {
                        throw unknown(name);
                    }
                    return null;
                });
    }

    /** Ends the sessions of the account. */
    public Account changePassword(String email, String password) {
        PasswordHash hash = PasswordHash.of(password, random);
        return change(email, account -> account.with(hash));
    }

    public Account changeRoles(String email, UnaryOperator<Account.Roles> change) {
        return change(email, account -> account.with(change.apply(account.roles())));
    }

    public Account endSessions(String email) {
        return change(email, Account::withoutSessions);
    }

    private Account change(String email, UnaryOperator<Account> change) {
        String name = Account.normalized(email);
        rows.change(
                AccountRows.account(name),
                before -> {
                    if (before == null) {
                        throw unknown(name);
                    }
                    return AccountRows.encode(change.apply(AccountRows.decode(before)));
                });
        return find(name).orElseThrow(() -> unknown(name));
    }

    private static PetrichorException unknown(String email) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND, "there is no account {email}", "email", email);
    }
}
