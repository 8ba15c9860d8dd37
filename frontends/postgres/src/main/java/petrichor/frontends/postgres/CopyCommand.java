package petrichor.frontends.postgres;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ExportedRows;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.SqlState;
import petrichor.sql.SqlStatement;
import petrichor.sql.StatementResult;
import petrichor.sql.TableLoad;
import petrichor.tables.ColumnType;

/**
 * COPY between a client and a table, or from a query to a client, as text, CSV or binary; also from
 * a query as a Parquet file.
 *
 * @param source table with its columns, or a query in parentheses
 * @param columns null for all
 */
record CopyCommand(
        String source,
        @Nullable String columns,
        boolean fromClient,
        Format format,
        boolean header,
        char delimiter,
        String nullText) {
    private static final Pattern COPY =
            Pattern.compile(
                    "(?is)\\s*COPY\\s+(\\(.*\\)|[\\w.\"]+)\\s*(\\([^)]*\\))?\\s+(FROM\\s+STDIN|TO\\s+STDOUT)"
                        + "\\s*(?:WITH)?\\s*(.*?);?\\s*");
    private static final Pattern OPTION =
            Pattern.compile(
                    "(?is)(FORMAT\\s+(?:\\w+|'\\w+')|CSV|TEXT|BINARY|(?:HEADER|FREEZE)(?:\\s+(?:TRUE|FALSE|ON|OFF))?"
                        + "|DELIMITER\\s+(?:AS\\s+)?E?'[^']+'|NULL\\s+(?:AS\\s+)?'[^']*')\\s*,?\\s*");

    /** How rows are written. */
    enum Format {
        TEXT,
        CSV,
        BINARY,

        /** To the client only. */
        PARQUET
    }

    /** A row that is longer is refused. */
    static final int ROW_BYTES_MAX = 16 << 20;

    /** Null if the statement is not COPY from or to the client. */
    static @Nullable CopyCommand of(String statement) {
        if (!statement.stripLeading().regionMatches(true, 0, "COPY", 0, 4)) {
            return null;
        }
        Matcher copy = COPY.matcher(statement);
        if (!copy.matches()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "only COPY … FROM STDIN and COPY … TO STDOUT are supported",
                    "The server reads and writes no files: use \\copy with a file of the client.",
                    0,
                    null);
        }
        Format format = Format.TEXT;
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
                case "FORMAT", "CSV", "TEXT", "BINARY" ->
                        format =
                                format(
                                        upper.substring(upper.lastIndexOf(' ') + 1)
                                                .replace("'", ""));
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
        boolean fromClient = copy.group(3).toUpperCase(Locale.ROOT).startsWith("FROM");
        boolean described = header || delimiter != null || nullText != null;
        if (format == Format.PARQUET && (fromClient || described)) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "COPY in the format parquet: TO only, without HEADER, DELIMITER and NULL",
                    "Load a Parquet file with petrichor sql import.",
                    0,
                    null);
        }
        if (format == Format.BINARY && (header || delimiter != null || nullText != null)) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "COPY in the binary format has no HEADER, DELIMITER or NULL");
        }
        boolean csv = format == Format.CSV;
        return new CopyCommand(
                copy.group(1),
                copy.group(2),
                fromClient,
                format,
                header,
                delimiter == null ? (csv ? ',' : '\t') : delimiter.charAt(0),
                nullText == null ? (csv ? "" : "\\N") : nullText);
    }

    private static Format format(String name) {
        for (Format format : Format.values()) {
            if (format.name().equals(name)) {
                return format;
            }
        }
        throw new SqlException(
                SqlState.INVALID_PARAMETER,
                "COPY format must be text, csv, binary or parquet, not "
                        + name.toLowerCase(Locale.ROOT));
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
        if (format == Format.PARQUET) {
            return sendFile(session, out);
        }
        StatementResult result = session.execute(selected());
        if (!(result
                instanceof StatementResult.Rows(_, List<ResultColumn> shape, RowIterator rows))) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "COPY query must return rows");
        }
        try (rows) {
            out.copyResponse('H', format == Format.BINARY, shape.size());
            long count =
                    format == Format.BINARY
                            ? sendBinary(shape, rows, out)
                            : sendText(shape, rows, session, out);
            out.plain('c');
            return count;
        }
    }

    private long sendFile(SqlSession session, ServerMessages out) {
        try (ExportedRows file = session.export(selected())) {
            long count = file.start();
            out.copyResponse('H', true, 1);
            for (byte[] part = file.next(); part.length > 0; part = file.next()) {
                data(out, part);
            }
            out.plain('c');
            return count;
        }
    }

    private static long sendBinary(List<ResultColumn> shape, RowIterator rows, ServerMessages out) {
        // As from PostgreSQL, the first message has the header and what follows it: drivers rely on
        // it.
        byte[] before = CopyBinary.header();
        long count = 0;
        while (rows.next()) {
            data(out, concatenated(before, CopyBinary.row(shape, rows)));
            before = new byte[0];
            count++;
        }
        data(out, concatenated(before, CopyBinary.trailer()));
        return count;
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private long sendText(
            List<ResultColumn> shape, RowIterator rows, SqlSession session, ServerMessages out) {
        String zone = session.setting("TimeZone");
        ZoneId zoneId = ZoneId.of(zone == null ? "UTC" : zone);
        CopyText text = text();
        if (header) {
            line(out, text.line(shape.stream().map(ResultColumn::name).toList()));
        }
        long count = 0;
        while (rows.next()) {
            List<@Nullable String> values = new ArrayList<>();
            for (int i = 0; i < shape.size(); i++) {
                Object value = rows.value(i);
                values.add(
                        value == null ? null : TextFormat.text(shape.get(i).type(), value, zoneId));
            }
            line(out, text.line(values));
            count++;
        }
        return count;
    }

    private CopyText text() {
        return new CopyText(format == Format.CSV, delimiter, nullText);
    }

    private static void line(ServerMessages out, String line) {
        data(out, line.getBytes(StandardCharsets.UTF_8));
    }

    private static void data(ServerMessages out, byte[] bytes) {
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
        try (TableLoad load = session.load(source, names)) {
            out.copyResponse('G', format == Format.BINARY, types.size());
            out.flush();
            CopyInserts inserts = new CopyInserts(load, types);
            receive(
                    in,
                    format == Format.BINARY
                            ? new CopyBinary(types, inserts)
                            : new CopyLines(text(), header, types, inserts));
            return load.end();
        }
    }

    private static void receive(ClientMessages in, Data data) throws IOException {
        while (true) {
            ClientMessages.Message message = in.next();
            if (message == null) {
                throw new EOFException("the client disconnected during COPY");
            }
            switch (message.type()) {
                case 'd' -> data.add(message.rest());
                case 'c' -> {
                    data.end();
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

    /** Receives the data of COPY in pieces that may end anywhere. */
    interface Data {
        void add(byte[] piece);

        void end();

        /** 54000 if the beginning of a row is too long. */
        static void requireRowBytes(long bytes) {
            if (bytes > ROW_BYTES_MAX) {
                throw new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "a row of COPY is longer than " + ROW_BYTES_MAX + " bytes");
            }
        }
    }

    private static SqlException failed(String reason) {
        return new SqlException(SqlState.QUERY_CANCELED, "COPY from stdin failed: " + reason);
    }
}
