package petrichor.sql;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.sql.catalog.CatalogQuery;
import petrichor.sql.h2.ExecutableText;
import petrichor.sql.h2.H2Session;

/**
 * A statement as the session needs to know it: what kind it is, and the text that H2 executes.
 * Immutable.
 *
 * @param tag PostgreSQL's command tag
 * @param text for H2; differs from the client's for what PostgreSQL writes in another way
 * @param words significant tokens of the client's text, keywords in upper case
 * @param readTime what AS OF SYSTEM TIME names; null if it is absent
 * @param change without RETURNING; null if it has none
 * @param conflict of an INSERT; null if it has none
 * @param with if H2 does not know it there; otherwise null
 * @param written the client's text, if H2's differs by more than what {@link ReadTime} removes
 */
record StatementText(
        Kind kind,
        String tag,
        String text,
        List<String> words,
        @Nullable String readTime,
        StatementShape shape,
        @Nullable String change,
        @Nullable OnConflict conflict,
        @Nullable WithClause with,
        @Nullable String written) {
    enum Kind {
        QUERY,
        /** INSERT, UPDATE, DELETE, MERGE, also if they return rows; SELECT if it locks rows. */
        CHANGE,
        DEFINITION,
        BEGIN,
        COMMIT,
        ROLLBACK,
        ROLLBACK_TO,
        SAVEPOINT,
        RELEASE,
        SET,
        RESET,
        SHOW,
        DISCARD,
        /** DECLARE, FETCH, MOVE and CLOSE. */
        CURSOR,
        /** Accepted because there is nothing to be done, such as VACUUM. */
        NOTHING,
        EMPTY
    }

    /** Passes over a text that write it in another way for the engine: one per nested operator. */
    private static final int REWRITES_MAX = 200;

    /** Characters of a text that is written in another way, if the client's is short. */
    private static final int REWRITTEN_MAX = 1 << 20;

    private static final Set<String> DEFINED =
            Set.of("TABLE", "INDEX", "VIEW", "SCHEMA", "SEQUENCE", "DOMAIN");

    StatementText {
        words = List.copyOf(words);
    }

    private StatementText(
            Kind kind,
            String tag,
            String text,
            List<String> words,
            @Nullable String readTime,
            StatementShape shape,
            @Nullable String change,
            @Nullable OnConflict conflict,
            @Nullable WithClause with) {
        this(kind, tag, text, words, readTime, shape, change, conflict, with, null);
    }

    private StatementText of(String client) {
        return new StatementText(
                kind, tag, text, words, readTime, shape, change, conflict, with, client);
    }

    /** In PostgreSQL's words, which the engine for analytics knows. */
    String analytic() {
        return readTime == null ? client() : ReadTime.removed(client());
    }

    /** As the client wrote it; without a read time if nothing else differs. */
    String client() {
        String client = written;
        return client == null ? text : client;
    }

    /** Whether its rows can be computed as they are read. */
    boolean lazy() {
        return kind == Kind.QUERY && !words.contains("NEXTVAL") && !words.contains("NEXT");
    }

    ExecutableText executable() {
        List<LockingClause> locks = kind == Kind.CHANGE ? LockingClause.of(text) : List.of();
        return new ExecutableText(text, lazy(), change, conflict, locks);
    }

    /** Null unless it is an EXPLAIN. */
    @Nullable ExplainOptions explain() {
        return tag.equals("EXPLAIN") ? ExplainOptions.of(text) : null;
    }

    /** The result with PostgreSQL's names of columns. */
    StatementResult named(StatementResult result) {
        return result instanceof StatementResult.Rows rows
                ? new StatementResult.Rows(rows.tag(), shape.named(rows.columns()), rows.rows())
                : result;
    }

    H2Session.Description named(H2Session.Description description) {
        return new H2Session.Description(
                PostgresSyntax.parameters(description.parameters(), words),
                shape.named(description.columns()));
    }

    /** Tables that H2 creates for a schema change: ALTER TABLE describes one and creates it. */
    int tables() {
        return switch (tag) {
            case "CREATE TABLE", "COMMENT" -> 1;
            case "ALTER TABLE" -> 2;
            default -> 0;
        };
    }

    static StatementText parse(String text) {
        StatementText parsed = rewritten(text);
        List<String> words = SqlToken.of(text).stream().map(SqlToken::word).toList();
        return parsed.words().equals(words) ? parsed : parsed.namedBy(words);
    }

    /** With the names of columns that the client's text gives. */
    private StatementText namedBy(List<String> original) {
        String before = original.contains("RETURNING") ? "RETURNING" : "SELECT";
        ColumnNames names = ColumnNames.of(original, before);
        boolean same =
                names.items().size() == shape.names().items().size()
                        && names.star() == shape.names().star();
        StatementShape named = same ? new StatementShape(shape.catalog(), names) : shape;
        return new StatementText(
                kind, tag, text, words, readTime, named, change, conflict, with, written);
    }

    private static StatementText rewritten(String client) {
        String text = client;
        for (int rewrites = 0; rewrites <= REWRITES_MAX; rewrites++) {
            List<SqlToken> tokens = SqlToken.of(text);
            List<String> words = tokens.stream().map(SqlToken::word).toList();
            RefusedWords.refuse(words);
            String known = known(text, tokens, words);
            if (known.equals(text)) {
                StatementText parsed = parse(text, tokens, words);
                return rewrites == 0 ? parsed : parsed.of(client);
            }
            text = known;
            requireLength(text.length(), client.length());
        }
        throw new SqlException(
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                "operators and functions in PostgreSQL's own form are nested at most "
                        + REWRITES_MAX
                        + " deep; use parameters or a subquery");
    }

    static void requireLength(long length, int written) {
        if (length > Math.max(REWRITTEN_MAX, 16L * written)) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "the statement is too long with its grouping sets and functions written out;"
                            + " use fewer of them, or temporary tables");
        }
    }

    /** The statement with some of them replaced, to be read again; or as it is. */
    private static String known(String text, List<SqlToken> tokens, List<String> words) {
        // The system catalogs have a rewriting of their own.
        boolean catalogs = CatalogQuery.reads(words);
        String known = catalogs ? text : LiteralSyntax.known(text, tokens);
        known = catalogs || !known.equals(text) ? known : NameSyntax.known(text, tokens);
        known = known.equals(text) ? QuerySyntax.known(text, tokens) : known;
        known = catalogs || !known.equals(text) ? known : DateSyntax.known(text, tokens);
        known = catalogs || !known.equals(text) ? known : UsingColumns.known(text, tokens);
        known = known.equals(text) ? DeleteUsing.known(text, tokens) : known;
        known = known.equals(text) ? GroupingSets.known(text, tokens) : known;
        return known.equals(text) ? JsonSyntax.known(text, tokens) : known;
    }

    private static StatementText parse(String text, List<SqlToken> tokens, List<String> words) {
        if (words.isEmpty()) {
            return of(Kind.EMPTY, "", text, words);
        }
        String first = words.getFirst();
        return switch (first) {
            case "SELECT", "VALUES", "TABLE", "(", "EXPLAIN" -> {
                String created = SelectInto.created(text, tokens);
                yield created == null ? query(text, tokens, words) : parse(created);
            }
            case "WITH" -> with(text, tokens, words);
            case "INSERT", "UPDATE", "DELETE", "MERGE" -> change(first, text, tokens, words);
            case "TRUNCATE" -> of(Kind.CHANGE, "TRUNCATE TABLE", text, words);
            case "CREATE", "ALTER", "DROP" -> definition(text, words);
            case "COMMENT" -> comment(text, words);
            case "BEGIN" -> of(Kind.BEGIN, "BEGIN", text, words);
            case "START" -> of(Kind.BEGIN, "START TRANSACTION", text, words);
            case "COMMIT", "END" -> of(Kind.COMMIT, "COMMIT", text, words);
            case "ABORT" -> of(Kind.ROLLBACK, "ROLLBACK", text, words);
            case "ROLLBACK" ->
                    of(
                            words.contains("TO") ? Kind.ROLLBACK_TO : Kind.ROLLBACK,
                            "ROLLBACK",
                            text,
                            words);
            case "SAVEPOINT" -> of(Kind.SAVEPOINT, "SAVEPOINT", text, words);
            case "RELEASE" -> of(Kind.RELEASE, "RELEASE", text, words);
            case "SET" -> of(Kind.SET, "SET", text, words);
            case "RESET" -> of(Kind.RESET, "RESET", text, words);
            case "SHOW" -> of(Kind.SHOW, "SHOW", text, words);
            case "DISCARD" -> of(Kind.DISCARD, "DISCARD ALL", text, words);
            case "VACUUM", "ANALYZE", "DEALLOCATE", "UNLISTEN", "PREPARE", "EXECUTE" ->
                    of(Kind.NOTHING, first, text, words);
            case "DECLARE", "FETCH", "MOVE", "CLOSE" -> of(Kind.CURSOR, first, text, words);
            default -> throw StatementWords.unknownStatement(first);
        };
    }

    /** Comments on constraints are accepted and not stored. */
    private static StatementText comment(String text, List<String> words) {
        boolean constraint = words.size() > 2 && words.get(2).equals("CONSTRAINT");
        return of(constraint ? Kind.NOTHING : Kind.DEFINITION, "COMMENT", text, words);
    }

    private static StatementText of(Kind kind, String tag, String text, List<String> words) {
        StatementShape shape =
                switch (kind) {
                    case QUERY -> StatementShape.of(text, words);
                    case CHANGE -> StatementShape.returning(words);
                    case DEFINITION,
                            BEGIN,
                            COMMIT,
                            ROLLBACK,
                            ROLLBACK_TO,
                            SAVEPOINT,
                            RELEASE,
                            SET,
                            RESET,
                            SHOW,
                            DISCARD,
                            CURSOR,
                            NOTHING,
                            EMPTY ->
                            StatementShape.NONE;
                };
        return new StatementText(kind, tag, text, words, null, shape, null, null, null);
    }

    private static StatementText query(String text, List<SqlToken> tokens, List<String> words) {
        ExplainOptions explain = ExplainOptions.of(text);
        if (explain != null) {
            StatementText explained = parse(explain.statement());
            if (!explained.tag().equals("SELECT") || explained.with() != null) {
                throw StatementWords.unsupported("EXPLAIN of a statement other than SELECT");
            }
            return new StatementText(
                    explained.kind(),
                    "EXPLAIN",
                    text,
                    words,
                    explained.readTime(),
                    StatementShape.NONE,
                    null,
                    null,
                    null);
        }
        String tag = "SELECT";
        for (int i = 0; i + 4 < tokens.size(); i++) {
            boolean readTime =
                    words.get(i).equals("AS")
                            && words.get(i + 1).equals("OF")
                            && words.get(i + 2).equals("SYSTEM")
                            && words.get(i + 3).equals("TIME");
            if (readTime) {
                SqlToken value = tokens.get(i + 4);
                String rest = text.substring(0, tokens.get(i).from()) + text.substring(value.to());
                if (!LockingClause.of(rest).isEmpty()) {
                    throw StatementWords.unsupported("FOR UPDATE of past rows");
                }
                return new StatementText(
                        Kind.QUERY,
                        tag,
                        rest,
                        words,
                        text.substring(value.from(), value.to()),
                        StatementShape.of(rest, words),
                        null,
                        null,
                        null);
            }
        }
        if (tag.equals("SELECT") && !LockingClause.of(text).isEmpty()) {
            return locking(text, words);
        }
        return of(Kind.QUERY, tag, text, words);
    }

    /** A SELECT that locks rows is refused, and repeated, like a change. */
    private static StatementText locking(String text, List<String> words) {
        StatementShape shape = StatementShape.of(text, words);
        return new StatementText(Kind.CHANGE, "SELECT", text, words, null, shape, null, null, null);
    }

    private static StatementText with(String text, List<SqlToken> tokens, List<String> words) {
        WithClause clause = WithClause.parse(text);
        if (clause == null) {
            return query(text, tokens, words);
        }
        StatementText main = parse(clause.main());
        return switch (main.kind()) {
            case QUERY, CHANGE ->
                    new StatementText(
                            Kind.CHANGE,
                            main.tag(),
                            text,
                            words,
                            null,
                            main.shape(),
                            null,
                            null,
                            clause);
            case DEFINITION,
                    BEGIN,
                    COMMIT,
                    ROLLBACK,
                    ROLLBACK_TO,
                    SAVEPOINT,
                    RELEASE,
                    SET,
                    RESET,
                    SHOW,
                    DISCARD,
                    CURSOR,
                    NOTHING,
                    EMPTY ->
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR, "syntax error after WITH: " + main.tag());
        };
    }

    private static StatementText change(
            String tag, String text, List<SqlToken> tokens, List<String> words) {
        String needed =
                switch (tag) {
                    case "INSERT", "MERGE" -> "INTO";
                    case "DELETE" -> "FROM";
                    default -> "";
                };
        if (!needed.isEmpty() && words.size() > 1 && !words.get(1).equals(needed)) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "syntax error at or near \"" + words.get(1) + "\"");
        }
        for (SqlToken token : tokens) {
            if (token.depth() == 0 && token.word().equals("RETURNING")) {
                if (SqlText.isBlank(text.substring(token.to()))) {
                    throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
                }
                String changed = tag.equals("DELETE") ? "OLD" : "FINAL";
                OnConflict.Parsed parsed = parsed(tag, text.substring(0, token.from()));
                String target =
                        parsed.clause() == null
                                ? PostgresSyntax.target(words)
                                : parsed.clause().alias();
                String rewritten =
                        "SELECT "
                                + text.substring(token.to(), tokens.getLast().to())
                                + " FROM "
                                + changed
                                + " TABLE ("
                                + parsed.insert()
                                + ") "
                                + target;
                return changing(tag, rewritten, words, parsed);
            }
        }
        OnConflict.Parsed parsed = parsed(tag, text);
        return changing(tag, parsed.insert(), words, parsed);
    }

    private static OnConflict.Parsed parsed(String tag, String text) {
        return tag.equals("INSERT") ? OnConflict.parse(text) : new OnConflict.Parsed(text, null);
    }

    private static StatementText changing(
            String tag, String text, List<String> words, OnConflict.Parsed parsed) {
        return new StatementText(
                Kind.CHANGE,
                tag,
                text,
                words,
                null,
                StatementShape.returning(words),
                text.equals(parsed.insert()) ? null : parsed.insert(),
                parsed.clause(),
                null);
    }

    /** Whether it is accepted after a failure inside a transaction. */
    boolean endsFailure() {
        return switch (kind) {
            case ROLLBACK, ROLLBACK_TO, COMMIT, EMPTY -> true;
            case QUERY,
                    CHANGE,
                    DEFINITION,
                    BEGIN,
                    SAVEPOINT,
                    RELEASE,
                    SET,
                    RESET,
                    SHOW,
                    DISCARD,
                    CURSOR,
                    NOTHING ->
                    false;
        };
    }

    /** Whether it adds an index to a table that may have rows, and nothing else. */
    boolean addsIndex() {
        int add = words.indexOf("ADD");
        boolean named =
                add > 0 && add + 3 < words.size() && words.get(add + 1).equals("CONSTRAINT");
        int kind = named ? add + 3 : add + 1;
        return switch (tag) {
            case "CREATE INDEX" -> true;
            case "ALTER TABLE" ->
                    add > 0
                            && kind + 1 < words.size()
                            && words.get(kind).equals("UNIQUE")
                            && words.get(kind + 1).equals("(")
                            && words.lastIndexOf("ADD") == add;
            default -> false;
        };
    }

    private static String withoutConcurrently(String text, List<String> words) {
        if (!words.contains("CONCURRENTLY")) {
            return text;
        }
        for (SqlToken token : SqlToken.of(text)) {
            if (token.word().equals("CONCURRENTLY")) {
                return text.substring(0, token.from()) + text.substring(token.to());
            }
        }
        return text;
    }

    private static StatementText definition(String text, List<String> words) {
        String verb = words.getFirst();
        for (String word : words.subList(1, words.size())) {
            switch (word) {
                case "OR", "REPLACE", "UNIQUE", "FORCE" -> {
                    // What is defined follows.
                }
                case "TEMPORARY", "TEMP", "LOCAL", "GLOBAL", "UNLOGGED" -> {
                    // See TemporarySchema. Every table is durable.
                }
                case "MATERIALIZED" -> throw StatementWords.unsupported(verb + " " + word);
                case "DATABASE" -> {
                    if (!verb.equals("CREATE")) {
                        throw StatementWords.unsupported(verb + " DATABASE");
                    }
                    // A database exists as soon as it is used.
                    return of(Kind.NOTHING, "CREATE DATABASE", text, words);
                }
                default -> {
                    if (!DEFINED.contains(word)) {
                        throw StatementWords.unknownObject(verb, word);
                    }
                    if (words.contains("CONCURRENTLY") && !word.equals("INDEX")) {
                        throw StatementWords.unsupported(verb + " " + word + " CONCURRENTLY");
                    }
                    if (words.contains("ENGINE") || words.contains("AUTHORIZATION")) {
                        throw StatementWords.unsupported("ENGINE and AUTHORIZATION");
                    }
                    String known = PostgresSyntax.definition(withoutConcurrently(text, words));
                    return of(Kind.DEFINITION, verb + " " + word, known, words);
                }
            }
        }
        throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
    }
}
