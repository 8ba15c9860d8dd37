package petrichor.frontends.postgres;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.postgres.PreparedStatements.Portal;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.SqlState;
import petrichor.sql.SqlStatement;
import petrichor.sql.SqlText;
import petrichor.sql.StatementResult;
import petrichor.sql.TransactionStatus;
import petrichor.tables.ColumnType;

/**
 * The messages of an authenticated connection. After an error in the extended protocol, messages
 * are skipped until Sync. Confined to one thread.
 */
final class PostgresConnection {
    /** Variables whose values the server reports, also when they change. */
    private static final List<String> REPORTED =
            List.of(
                    "server_version",
                    "server_encoding",
                    "client_encoding",
                    "application_name",
                    "is_superuser",
                    "session_authorization",
                    "DateStyle",
                    "IntervalStyle",
                    "TimeZone",
                    "integer_datetimes",
                    "standard_conforming_strings",
                    "default_transaction_read_only");

    private final Startup.Started started;
    private final ClientMessages in;
    private final ServerMessages out;
    private final SqlSession session;
    private final PreparedStatements prepared = new PreparedStatements();
    private final Map<String, String> reported = new HashMap<>();
    private boolean skipping;

    PostgresConnection(Startup.Started started, SqlSession session) {
        this.started = started;
        this.in = started.in();
        this.out = started.out();
        this.session = session;
    }

    /**
     * @param key for requests for cancellation
     */
    void run(Cancellations.Key key) throws IOException {
        try {
            applyParameters();
        } catch (SqlException invalid) {
            out.error(invalid, true);
            out.flush();
            return;
        }
        out.authenticationOk();
        reportSettings();
        out.backendKey(key.process(), key.secret());
        ready();
        try {
            for (ClientMessages.Message message = in.next();
                    message != null && message.type() != 'X';
                    message = in.next()) {
                handle(message);
            }
        } finally {
            prepared.closeAll();
        }
    }

    /** Of the startup packet: variables, and "-c name=value" in options. */
    private void applyParameters() {
        Map<String, String> variables = new HashMap<>(started.parameters());
        String options = variables.remove("options");
        variables.remove("replication");
        if (options != null) {
            for (String option : options.split("\\s*(?:-c\\s*|--)", -1)) {
                int equals = option.indexOf('=');
                if (equals > 0) {
                    variables.put(
                            option.substring(0, equals), option.substring(equals + 1).strip());
                }
            }
        }
        variables.forEach(
                (name, value) -> {
                    if (!name.startsWith("_pq_.")) {
                        set(name, value);
                    }
                });
    }

    private void set(String name, String value) {
        session.execute(
                "SET \"" + name.replace("\"", "") + "\" = '" + value.replace("'", "''") + "'");
    }

    private void reportSettings() {
        for (String name : REPORTED) {
            String value = session.setting(name);
            if (value != null && !value.equals(reported.put(name, value))) {
                out.parameter(name, value);
            }
        }
    }

    private void ready() {
        TransactionStatus status = session.transactionStatus();
        if (status == TransactionStatus.IDLE) {
            prepared.closePortals();
        }
        reportSettings();
        out.ready(status);
        out.flush();
    }

    private void handle(ClientMessages.Message message) throws IOException {
        if (skipping && message.type() != 'S') {
            return;
        }
        try {
            switch (message.type()) {
                case 'Q' -> simple(message.text());
                case 'P' -> parse(message);
                case 'B' -> bind(message);
                case 'D' -> describe(message);
                case 'E' -> execute(message);
                case 'C' -> close(message);
                case 'S' -> sync();
                case 'H' -> out.flush();
                case 'd', 'c', 'f' -> {
                    // Rest of a COPY that has failed.
                }
                case 'F' ->
                        throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "function calls are not supported; use SELECT");
                default -> throw ClientMessages.malformed("unknown type " + message.type());
            }
        } catch (SqlException failed) {
            if (message.type() == 'Q') {
                // No Sync follows a simple query.
                out.error(failed, false);
                ready();
            } else {
                failed(failed);
            }
        } catch (RuntimeException unexpected) {
            if (unexpected instanceof java.io.UncheckedIOException disconnected) {
                throw disconnected.getCause();
            }
            throw unexpected;
        }
    }

    private void failed(SqlException failure) {
        out.error(failure, false);
        // A client that sent Flush may wait for the error before it sends Sync.
        out.flush();
        skipping = true;
    }

    // ---- simple protocol

    private void simple(String text) throws IOException {
        prepared.closeStatement("");
        prepared.closePortal("");
        int at = 0;
        try {
            List<String> statements = SqlText.statements(text);
            if (statements.isEmpty()) {
                out.plain('I');
            }
            boolean several = statements.size() > 1;
            int end = 0;
            for (String statement : statements) {
                at = text.indexOf(statement, end);
                end = at + statement.length();
                if (several) {
                    session.beginImplicitBlock();
                }
                CopyCommand copy = CopyCommand.of(statement);
                if (copy != null) {
                    copy.run(session, in, out);
                } else {
                    send(session.execute(statement));
                }
            }
            at = 0;
            session.endImplicitBlock();
        } catch (SqlException failure) {
            endFailedBlock();
            out.error(failure.after(text.codePointCount(0, at)), false);
        }
        ready();
    }

    /** An implicit block that failed is rolled back. */
    private void endFailedBlock() {
        try {
            session.endImplicitBlock();
        } catch (SqlException alsoFailed) {
            out.notice(alsoFailed);
        }
    }

    private void send(StatementResult result) {
        switch (result) {
            case StatementResult.Rows(String tag, List<ResultColumn> columns, RowIterator rows) -> {
                try (rows) {
                    boolean[] binary = new boolean[columns.size()];
                    out.rowDescription(columns, binary);
                    long count = rows(columns, binary, rows, Long.MAX_VALUE);
                    out.complete(tagged(tag, count));
                }
            }
            case StatementResult.Count(String tag, long count) -> out.complete(tagged(tag, count));
            case StatementResult.Done(String tag) -> out.complete(tag);
            case StatementResult.Deallocated gone -> deallocate(gone);
            case StatementResult.Empty _ -> out.plain('I');
        }
    }

    private void deallocate(StatementResult.Deallocated gone) {
        String name = gone.name();
        if (name == null) {
            prepared.closeStatements();
        } else {
            SqlStatement _ = prepared.statement(name);
            prepared.closeStatement(name);
        }
        out.complete(gone.tag());
    }

    private static String tagged(String tag, long count) {
        return tag.equals("INSERT") ? "INSERT 0 " + count : tag + " " + count;
    }

    /** Sends rows up to a limit; returns how many. */
    private long rows(List<ResultColumn> columns, boolean[] binary, RowIterator rows, long most) {
        ZoneId zone = zone();
        long count = 0;
        @Nullable Object[] values = new @Nullable Object[columns.size()];
        while (count < most && rows.next()) {
            for (int i = 0; i < values.length; i++) {
                // Before the message begins: a value may fail.
                values[i] = rows.value(i);
            }
            out.beginRow(columns.size());
            for (int i = 0; i < columns.size(); i++) {
                Object value = values[i];
                ColumnType type = columns.get(i).type();
                out.value(
                        value == null
                                ? null
                                : binary[i]
                                        ? BinaryFormat.encode(type, value)
                                        : TextFormat.encode(type, value, zone));
            }
            out.endRow();
            count++;
        }
        return count;
    }

    private ZoneId zone() {
        String zone = session.setting("TimeZone");
        return ZoneId.of(zone == null ? "UTC" : zone);
    }

    // ---- extended protocol

    private void parse(ClientMessages.Message message) {
        String name = message.text();
        String text = message.text();
        List<ColumnType> types = new ArrayList<>();
        int count = Short.toUnsignedInt((short) message.int16());
        for (int i = 0; i < count; i++) {
            types.add(TypeOid.typeOf(message.int32()));
        }
        message.end();
        List<String> statements = SqlText.statements(text);
        if (statements.size() > 1) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "cannot insert multiple commands into a prepared statement");
        }
        String statement = statements.isEmpty() ? "" : statements.getFirst();
        try {
            prepared.add(name, session.prepare(statement, types));
        } catch (SqlException failed) {
            throw failed.after(text.codePointCount(0, text.indexOf(statement)));
        }
        out.plain('1');
    }

    private void bind(ClientMessages.Message message) {
        String portal = message.text();
        SqlStatement statement = prepared.statement(message.text());
        List<ColumnType> types = statement.parameterTypes();
        int[] formats = formats(message);
        int count = Short.toUnsignedInt((short) message.int16());
        if (count != types.size()) {
            throw new SqlException(
                    "08P01",
                    "bind message supplies "
                            + count
                            + " parameters, but the prepared statement requires "
                            + types.size());
        }
        List<@Nullable Object> parameters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = message.bytes();
            boolean binary = format(formats, i) == 1;
            parameters.add(
                    value == null
                            ? null
                            : binary
                                    ? BinaryFormat.decode(types.get(i), value)
                                    : TextFormat.decode(types.get(i), value));
        }
        int[] results = formats(message);
        message.end();
        boolean[] binary = new boolean[statement.columns().size()];
        for (int i = 0; i < binary.length; i++) {
            binary[i] = format(results, i) == 1;
        }
        prepared.add(
                portal, new Portal(statement, Collections.unmodifiableList(parameters), binary));
        out.plain('2');
    }

    private static int[] formats(ClientMessages.Message message) {
        int[] formats = new int[Short.toUnsignedInt((short) message.int16())];
        for (int i = 0; i < formats.length; i++) {
            formats[i] = message.int16();
            if (formats[i] != 0 && formats[i] != 1) {
                throw ClientMessages.malformed("format " + formats[i]);
            }
        }
        return formats;
    }

    /** None: all are text. One: it applies to all. */
    private static int format(int[] formats, int number) {
        if (formats.length == 0) {
            return 0;
        }
        if (formats.length == 1) {
            return formats[0];
        }
        if (number >= formats.length) {
            throw ClientMessages.malformed("fewer formats than values");
        }
        return formats[number];
    }

    private void describe(ClientMessages.Message message) {
        byte kind = message.int8();
        String name = message.text();
        message.end();
        switch (kind) {
            case 'S' -> {
                SqlStatement statement = prepared.statement(name);
                out.parameterDescription(
                        statement.parameterTypes().stream()
                                .map(type -> TypeOid.of(type).oid())
                                .toList());
                describe(statement, new boolean[statement.columns().size()]);
            }
            case 'P' -> {
                List<ResultColumn> cursor = session.cursor(name);
                if (cursor == null) {
                    Portal portal = prepared.portal(name);
                    describe(portal.statement(), portal.binary());
                } else {
                    out.rowDescription(cursor, new boolean[cursor.size()]);
                }
            }
            default -> throw ClientMessages.malformed("describe of " + (char) kind);
        }
    }

    private void describe(SqlStatement statement, boolean[] binary) {
        if (statement.columns().isEmpty()) {
            out.plain('n');
        } else {
            out.rowDescription(statement.columns(), binary);
        }
    }

    private void execute(ClientMessages.Message message) {
        Portal portal = prepared.portal(message.text());
        int most = message.int32();
        message.end();
        session.beginImplicitBlock();
        if (portal.ended()) {
            out.complete("SELECT 0");
            return;
        }
        switch (portal.result()) {
            case StatementResult.Rows(String tag, List<ResultColumn> columns, RowIterator rows) -> {
                long limit = most > 0 ? most : Long.MAX_VALUE;
                long count = rows(columns, portal.binary(), rows, limit);
                if (count == limit) {
                    out.plain('s');
                } else {
                    portal.end();
                    out.complete(tagged(tag, count));
                }
            }
            case StatementResult.Count(String tag, long count) -> {
                portal.end();
                out.complete(tagged(tag, count));
            }
            case StatementResult.Done(String tag) -> {
                portal.end();
                out.complete(tag);
            }
            case StatementResult.Deallocated gone -> {
                portal.end();
                deallocate(gone);
            }
            case StatementResult.Empty _ -> {
                portal.end();
                out.plain('I');
            }
        }
    }

    private void close(ClientMessages.Message message) {
        byte kind = message.int8();
        String name = message.text();
        message.end();
        if (kind == 'S') {
            prepared.closeStatement(name);
        } else {
            prepared.closePortal(name);
        }
        out.plain('3');
    }

    private void sync() {
        boolean failed = skipping;
        skipping = false;
        try {
            session.endImplicitBlock();
        } catch (SqlException failure) {
            if (!failed) {
                out.error(failure, false);
            }
        }
        ready();
    }
}
