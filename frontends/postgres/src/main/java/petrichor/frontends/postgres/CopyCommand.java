package petrichor.frontends.postgres;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.SqlState;
import petrichor.sql.SqlStatement;
import petrichor.sql.StatementResult;
import petrichor.tables.ColumnType;

/**
 * COPY between a client and a table, or from a query to a client, as text or CSV.
 *
 * @param source table with its columns, or a query in parentheses
 * @param columns null for all
 */
record CopyCommand(
        String source,
        @Nullable String columns,
        boolean fromClient,
        boolean csv,
        boolean header,
        char delimiter,
        String nullText) {
    private static final Pattern COPY =
            Pattern.compile(
                    "(?is)\\s*COPY\\s+(\\(.*\\)|[\\w.\"]+)\\s*(\\([^)]*\\))?\\s+(FROM\\s+STDIN|TO\\s+STDOUT)"
                        + "\\s*(?:WITH)?\\s*(.*?);?\\s*");
    private static final Pattern OPTION =
            Pattern.compile(
                    "(?is)(FORMAT\\s+\\w+|CSV|TEXT|BINARY|(?:HEADER|FREEZE)(?:\\s+(?:TRUE|FALSE|ON|OFF))?"
                        + "|DELIMITER\\s+(?:AS\\s+)?E?'[^']+'|NULL\\s+(?:AS\\s+)?'[^']*')\\s*,?\\s*");

    /** Rows that are inserted by one statement. */
    private static final int BATCH_ROWS = 100;

    /** A row that is longer is refused. */
    private static final int ROW_BYTES_MAX = 16 << 20;

    /** Null if the statement is not COPY from or to the client. */
    static @Nullable CopyCommand of(String statement) {
        if (!statement.stripLeading().regionMatches(true, 0, "COPY", 0, 4)) {
            return null;
        }
        Matcher copy = COPY.matcher(statement);
        if (!copy.matches()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "only COPY … FROM STDIN and COPY … TO STDOUT are supported");
        }
        boolean csv = false;
        boolean header = false;
        String delimiter = null;
        String nullText = null;
        String options = copy.group(4).strip();
        if (options.startsWith("(") && options.endsWith(")")) {
            options = options.substring(1, options.length() - 1).strip();
        }
        Matcher option = OPTION.matcher(options);
        int at = 0;
        while (at < options.length()) {
            if (!option.find(at) || option.start() != at) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "COPY option not supported: " + options.substring(at));
            }
            at = option.end();
            String text = option.group(1);
            String upper = text.toUpperCase(Locale.ROOT).replaceAll("\\s+", " ");
            switch (upper.split(" ", -1)[0]) {
                case "FORMAT", "CSV", "TEXT", "BINARY" -> {
                    if (upper.endsWith("BINARY")) {
                        throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "COPY in the binary format is not supported; use text or CSV");
                    }
                    csv = upper.endsWith("CSV");
                }
                case "HEADER" -> header = !upper.endsWith("FALSE") && !upper.endsWith("OFF");
                case "FREEZE" -> {
                    // Rows become visible when the transaction commits, as always.
                }
                case "DELIMITER" -> delimiter = literal(text);
                default -> nullText = literal(text);
            }
        }
        if (delimiter != null && delimiter.length() != 1) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER, "COPY delimiter must be a single character");
        }
        return new CopyCommand(
                copy.group(1),
                copy.group(2),
                copy.group(3).toUpperCase(Locale.ROOT).startsWith("FROM"),
                csv,
                header,
                delimiter == null ? (csv ? ',' : '\t') : delimiter.charAt(0),
                nullText == null ? (csv ? "" : "\\N") : nullText);
    }

    private static String literal(String option) {
        String text = option.substring(option.indexOf('\'') + 1, option.length() - 1);
        return text.equals("\\t") ? "\t" : text;
    }

    void run(SqlSession session, ClientMessages in, ServerMessages out) throws IOException {
        if (fromClient) {
            out.complete("COPY " + receive(session, in, out));
        } else {
            out.complete("COPY " + send(session, out));
        }
    }

    private String selected() {
        return source.startsWith("(")
                ? source.substring(1, source.length() - 1)
                : "SELECT "
                        + (columns == null ? "*" : columns.substring(1, columns.length() - 1))
                        + " FROM "
                        + source;
    }

    private long send(SqlSession session, ServerMessages out) {
        StatementResult result = session.execute(selected());
        if (!(result
                instanceof StatementResult.Rows(_, List<ResultColumn> shape, RowIterator rows))) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "COPY query must return rows");
        }
        try (rows) {
            String zone = session.setting("TimeZone");
            ZoneId zoneId = ZoneId.of(zone == null ? "UTC" : zone);
            CopyText format = new CopyText(csv, delimiter, nullText);
            out.copyResponse('H', false, shape.size());
            if (header) {
                line(out, format.line(shape.stream().map(ResultColumn::name).toList()));
            }
            long count = 0;
            while (rows.next()) {
                List<@Nullable String> values = new ArrayList<>();
                for (int i = 0; i < shape.size(); i++) {
                    Object value = rows.value(i);
                    values.add(
                            value == null
                                    ? null
                                    : TextFormat.text(shape.get(i).type(), value, zoneId));
                }
                line(out, format.line(values));
                count++;
            }
            out.plain('c');
            return count;
        }
    }

    private static void line(ServerMessages out, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        out.copyData(bytes, bytes.length);
    }

    private long receive(SqlSession session, ClientMessages in, ServerMessages out)
            throws IOException {
        List<ColumnType> types = new ArrayList<>();
        List<String> names = new ArrayList<>();
        try (SqlStatement shape = session.prepare(selected(), List.of())) {
            shape.columns().forEach(column -> types.add(column.type()));
            shape.columns().forEach(column -> names.add(column.name()));
        }
        session.beginImplicitBlock();
        out.copyResponse('G', false, types.size());
        out.flush();
        CopyText format = new CopyText(csv, delimiter, nullText);
        Inserts inserts = new Inserts(session, names, types);
        readAll(in, format, inserts);
        return inserts.count;
    }

    private void readAll(ClientMessages in, CopyText format, Inserts inserts) throws IOException {
        ByteArrayOutputStream pending = new ByteArrayOutputStream();
        boolean first = header;
        boolean ended = false;
        while (true) {
            ClientMessages.Message message = in.next();
            if (message == null) {
                throw new java.io.EOFException("the client disconnected during COPY");
            }
            switch (message.type()) {
                case 'd' -> {
                    pending.writeBytes(message.rest());
                    byte[] bytes = pending.toByteArray();
                    int from = 0;
                    for (int end = format.end(bytes, from);
                            end >= 0;
                            end = format.end(bytes, from)) {
                        String line = ClientMessages.utf8(ByteBuffer.wrap(bytes, from, end - from));
                        from = end + 1;
                        ended |= line.strip().equals("\\.");
                        if (first) {
                            first = false;
                        } else if (!ended) {
                            inserts.add(format.values(line));
                        }
                    }
                    pending.reset();
                    pending.write(bytes, from, bytes.length - from);
                    if (pending.size() > ROW_BYTES_MAX) {
                        throw new SqlException(
                                SqlState.PROGRAM_LIMIT_EXCEEDED,
                                "a row of COPY is longer than " + ROW_BYTES_MAX + " bytes");
                    }
                }
                case 'c' -> {
                    if (pending.size() > 0 && !ended && !first) {
                        inserts.add(
                                format.values(
                                        ClientMessages.utf8(
                                                ByteBuffer.wrap(pending.toByteArray()))));
                    }
                    inserts.flush();
                    return;
                }
                case 'f' -> throw failed(message.text());
                case 'H', 'S' -> {
                    // Ignored during COPY.
                }
                default -> throw ClientMessages.malformed(message.type() + " during COPY");
            }
        }
    }

    private static SqlException failed(String reason) {
        return new SqlException(SqlState.QUERY_CANCELED, "COPY from stdin failed: " + reason);
    }

    /** Collects rows and inserts them together. */
    private final class Inserts {
        private final SqlSession session;
        private final String into;
        private final List<ColumnType> types;
        private final List<@Nullable Object> waiting = new ArrayList<>();
        private int rows;
        private long count;

        Inserts(SqlSession session, List<String> names, List<ColumnType> types) {
            this.session = session;
            this.types = types;
            this.into =
                    "INSERT INTO "
                            + source
                            + names.stream()
                                    .map(name -> '"' + name.replace("\"", "\"\"") + '"')
                                    .collect(Collectors.joining(", ", " (", ") VALUES "));
        }

        void add(List<@Nullable String> values) {
            if (values.size() != types.size()) {
                throw new SqlException(
                        "22P04",
                        "row "
                                + (count + rows + 1)
                                + " of COPY has "
                                + values.size()
                                + " values for "
                                + types.size()
                                + " columns");
            }
            for (int i = 0; i < types.size(); i++) {
                String value = values.get(i);
                waiting.add(value == null ? null : TextFormat.parse(types.get(i), value));
            }
            rows++;
            if (rows == BATCH_ROWS) {
                flush();
            }
        }

        void flush() {
            if (rows == 0) {
                return;
            }
            int width = types.size();
            String text =
                    into
                            + IntStream.range(0, rows)
                                    .mapToObj(
                                            row ->
                                                    IntStream.range(0, width)
                                                            .mapToObj(
                                                                    i ->
                                                                            "$"
                                                                                    + (row * width
                                                                                            + i
                                                                                            + 1))
                                                            .collect(
                                                                    Collectors.joining(
                                                                            ", ", "(", ")")))
                                    .collect(Collectors.joining(", "));
            try (SqlStatement insert =
                    session.prepare(
                            text,
                            IntStream.range(0, rows * width)
                                    .mapToObj(i -> types.get(i % width))
                                    .toList())) {
                insert.execute(Collections.unmodifiableList(new ArrayList<>(waiting)));
            }
            count += rows;
            waiting.clear();
            rows = 0;
        }
    }
}
