package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Statements about the session itself: transactions, savepoints, variables. */
final class SessionCommands {
    private final SqlSession session;
    private final SessionSettings settings;
    private final NamedStatements named;

    SessionCommands(SqlSession session, SessionSettings settings, NamedStatements named) {
        this.named = named;
        this.session = session;
        this.settings = settings;
    }

    StatementResult execute(StatementText statement) {
        return switch (statement.kind()) {
            case BEGIN -> begin(statement);
            case COMMIT -> commit(statement);
            case ROLLBACK -> {
                refuseChain(statement);
                session.end(false);
                yield done("ROLLBACK");
            }
            case SAVEPOINT -> {
                explicit("SAVEPOINT").savepoint(identifier(statement, 1));
                yield done("SAVEPOINT");
            }
            case RELEASE -> {
                explicit("RELEASE SAVEPOINT").release(last(statement));
                yield done("RELEASE");
            }
            case ROLLBACK_TO -> {
                explicit("ROLLBACK TO SAVEPOINT").rollbackTo(last(statement));
                session.closeIdle();
                yield done("ROLLBACK");
            }
            case SET -> set(statement);
            case RESET -> reset(statement);
            case SHOW -> show(statement);
            case DISCARD -> discard(statement);
            case NOTHING ->
                    switch (statement.tag()) {
                        case "DEALLOCATE" -> deallocate(statement);
                        case "PREPARE" -> {
                            named.prepare(statement.client());
                            yield done("PREPARE");
                        }
                        default -> done(statement.tag());
                    };
            case QUERY, CHANGE, DEFINITION, CURSOR, EMPTY ->
                    throw new IllegalArgumentException("not a command of the session");
        };
    }

    private StatementResult deallocate(StatementText statement) {
        int last = statement.words().size() - 1;
        String word = last == 0 ? "" : statement.words().get(last);
        return switch (word) {
            case "", "PREPARE" ->
                    throw new SqlException(SqlState.SYNTAX_ERROR, "DEALLOCATE needs a name");
            case "ALL" -> {
                named.remove(null);
                yield new StatementResult.Deallocated("DEALLOCATE ALL", null);
            }
            default -> {
                String name = unquoted(word);
                if (named.contains(name)) {
                    named.remove(name);
                    yield done("DEALLOCATE");
                }
                yield new StatementResult.Deallocated("DEALLOCATE", name);
            }
        };
    }

    private static StatementResult done(String tag) {
        return new StatementResult.Done(tag);
    }

    private static void refuseChain(StatementText statement) {
        List<String> words = statement.words();
        boolean chain = words.contains("CHAIN") && !words.contains("NO");
        if (chain || words.contains("PREPARED")) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    statement.tag() + " AND CHAIN, and two-phase commit: not supported");
        }
    }

    private StatementResult begin(StatementText statement) {
        Block open = session.block();
        if (open != null && open.kind() == Block.Kind.EXPLICIT) {
            // PostgreSQL warns and continues.
            return done(statement.tag());
        }
        if (open == null) {
            open = session.begin(Block.Kind.EXPLICIT);
        } else {
            open.makeExplicit();
        }
        try {
            modes(open, statement);
        } catch (RuntimeException invalid) {
            session.end(false);
            throw invalid;
        }
        return done(statement.tag());
    }

    /** Isolation levels are accepted: each is at most as strong as the one that is always used. */
    private static void modes(Block open, StatementText statement) {
        List<String> words = statement.words();
        int only = words.indexOf("ONLY");
        int write = words.indexOf("WRITE");
        boolean mode = only > 0 || write > 0;
        int time = words.indexOf("TIME");
        if (!mode && time < 0) {
            return;
        }
        if (open.started()) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "the mode of a transaction must be set before its first statement");
        }
        if (mode) {
            open.readOnly(only > 0);
        }
        if (time > 0) {
            if (time + 1 >= words.size()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "AS OF SYSTEM TIME needs a point in time");
            }
            open.readTime(ReadTime.parse(words.get(time + 1)));
        }
    }

    private StatementResult commit(StatementText statement) {
        refuseChain(statement);
        return done(session.end(true) ? "COMMIT" : "ROLLBACK");
    }

    private Block explicit(String what) {
        Block open = session.block();
        if (open == null || open.kind() != Block.Kind.EXPLICIT) {
            throw new SqlException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    what + " can only be used in transaction blocks");
        }
        return open;
    }

    private static String last(StatementText statement) {
        return identifier(statement, statement.words().size() - 1);
    }

    private static String identifier(StatementText statement, int index) {
        if (index >= statement.words().size()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        return unquoted(statement.words().get(index));
    }

    private static String unquoted(String word) {
        if (word.length() > 1 && (word.startsWith("\"") || word.startsWith("'"))) {
            String quote = word.substring(0, 1);
            return word.substring(1, word.length() - 1).replace(quote + quote, quote);
        }
        return word.toLowerCase(Locale.ROOT);
    }

    private StatementResult set(StatementText statement) {
        List<String> words = new ArrayList<>(statement.words());
        words.removeFirst();
        boolean local = !words.isEmpty() && words.getFirst().equals("LOCAL");
        boolean scoped = local || (!words.isEmpty() && words.getFirst().equals("SESSION"));
        if (scoped) {
            words.removeFirst();
        }
        if (words.isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        switch (words.getFirst()) {
            case "TRANSACTION" -> {
                Block open = session.block();
                if (open != null) {
                    modes(open, statement);
                }
            }
            case "CHARACTERISTICS" ->
                    settings.set(
                            "default_transaction_read_only",
                            words.contains("ONLY") ? "on" : "off",
                            false);
            case "ROLE" -> assign("role", words.subList(1, words.size()), local);
            case "CONSTRAINTS", "AUTHORIZATION" ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "SET " + words.getFirst() + ": not supported");
            case "TIME" ->
                    assign(
                            "timezone",
                            words.subList(Math.min(2, words.size()), words.size()),
                            local);
            case "NAMES" -> assign("client_encoding", words.subList(1, words.size()), local);
            default -> {
                int at = 1;
                StringBuilder name = new StringBuilder(unquoted(words.getFirst()));
                while (at + 1 < words.size() && words.get(at).equals(".")) {
                    name.append('.').append(unquoted(words.get(at + 1)));
                    at += 2;
                }
                boolean assigns =
                        at < words.size()
                                && (words.get(at).equals("=") || words.get(at).equals("TO"));
                if (!assigns) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR, "syntax error: SET needs TO or =");
                }
                assign(name.toString(), words.subList(at + 1, words.size()), local);
            }
        }
        session.closeIdle();
        return done("SET");
    }

    private void assign(String name, List<String> value, boolean local) {
        boolean reset = value.size() == 1 && value.getFirst().equals("DEFAULT");
        if (value.isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        if (local && session.block() == null) {
            return;
        }
        settings.set(name, reset ? null : joined(value), local);
    }

    private static String joined(List<String> words) {
        StringBuilder text = new StringBuilder();
        for (String word : words) {
            boolean separated =
                    !text.isEmpty() && !word.equals(",") && text.charAt(text.length() - 1) == ',';
            if (separated) {
                text.append(' ');
            }
            text.append(unquoted(word));
        }
        return text.toString();
    }

    private StatementResult reset(StatementText statement) {
        String name = name(statement);
        if (name.equals("all")) {
            settings.reset();
        } else {
            settings.set(name, null, false);
        }
        session.closeIdle();
        return done("RESET");
    }

    private StatementResult discard(StatementText statement) {
        if (session.block() != null) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION, "DISCARD cannot run inside a transaction block");
        }
        session.dropTemporary();
        named.remove(null);
        settings.reset();
        session.closeIdle();
        return done(statement.tag());
    }

    private static String name(StatementText statement) {
        List<String> words = statement.words().subList(1, statement.words().size());
        if (words.isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        return switch (words.getFirst()) {
            case "TIME" -> "timezone";
            case "TRANSACTION" -> "transaction_isolation";
            default -> String.join("", words.stream().map(SessionCommands::unquoted).toList());
        };
    }

    ResultColumn shown(StatementText statement) {
        return ResultColumn.text(name(statement));
    }

    private StatementResult show(StatementText statement) {
        String name = name(statement);
        @Nullable String value = settings.get(name);
        if (value == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "unrecognized configuration parameter \"" + name + "\"");
        }
        return new StatementResult.Rows(
                "SHOW",
                List.of(shown(statement)),
                new ListedRows(List.of(List.<@Nullable Object>of(value))));
    }
}
