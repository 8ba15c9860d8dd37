package petrichor.frontends.postgres;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;

/**
 * Lines of COPY: text with escapes, or CSV with quotes.
 *
 * @param nullText how NULL is written
 */
record CopyText(boolean csv, char delimiter, String nullText) {
    /** The line end that ends a row; -1 if the row is not complete. */
    int end(byte[] bytes, int from) {
        boolean quoted = false;
        for (int i = from; i < bytes.length; i++) {
            if (csv && bytes[i] == '"') {
                quoted = !quoted;
            } else if (bytes[i] == '\n' && !quoted) {
                return i;
            } else if (!csv && bytes[i] == '\\') {
                i++; // an escaped line end belongs to the value
            }
        }
        return -1;
    }

    List<@Nullable String> values(String written) {
        String line = written.endsWith("\r") ? written.substring(0, written.length() - 1) : written;
        return csv ? quotedValues(line) : escapedValues(line);
    }

    private List<@Nullable String> quotedValues(String line) {
        List<@Nullable String> values = new ArrayList<>();
        int at = 0;
        while (true) {
            StringBuilder value = new StringBuilder();
            boolean quoted = false;
            boolean open = false;
            while (at < line.length() && (open || line.charAt(at) != delimiter)) {
                char c = line.charAt(at++);
                if (c != '"') {
                    value.append(c);
                } else if (open && at < line.length() && line.charAt(at) == '"') {
                    value.append('"');
                    at++;
                } else {
                    open = !open;
                    quoted = true;
                }
            }
            if (open) {
                throw new SqlException("22P04", "unterminated CSV quoted field");
            }
            String text = value.toString();
            values.add(!quoted && text.equals(nullText) ? null : text);
            if (at >= line.length()) {
                return values;
            }
            at++;
            if (at == line.length()) {
                values.add(nullText.isEmpty() ? null : "");
                return values;
            }
        }
    }

    private List<@Nullable String> escapedValues(String line) {
        List<@Nullable String> values = new ArrayList<>();
        int from = 0;
        for (int at = 0; at <= line.length(); at++) {
            if (at == line.length() || line.charAt(at) == delimiter) {
                String raw = line.substring(from, at);
                values.add(raw.equals(nullText) ? null : unescaped(raw));
                from = at + 1;
            } else if (line.charAt(at) == '\\') {
                at++;
            }
        }
        return values;
    }

    private static String unescaped(String raw) {
        if (raw.indexOf('\\') < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < raw.length(); at++) {
            char c = raw.charAt(at);
            if (c != '\\' || at + 1 == raw.length()) {
                text.append(c);
                continue;
            }
            char next = raw.charAt(++at);
            text.append(
                    switch (next) {
                        case 'b' -> '\b';
                        case 'f' -> '\f';
                        case 'n' -> '\n';
                        case 'r' -> '\r';
                        case 't' -> '\t';
                        case 'v' -> '\u000b';
                        default -> next;
                    });
        }
        return text.toString();
    }

    /** A row with its line end. */
    String line(List<? extends @Nullable String> values) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i);
            if (i > 0) {
                line.append(delimiter);
            }
            line.append(value == null ? nullText : csv ? quoted(value) : escaped(value));
        }
        return line.append('\n').toString();
    }

    private String quoted(String value) {
        boolean plain =
                !value.equals(nullText)
                        && value.indexOf(delimiter) < 0
                        && value.indexOf('"') < 0
                        && value.indexOf('\n') < 0
                        && value.indexOf('\r') < 0;
        return plain ? value : '"' + value.replace("\"", "\"\"") + '"';
    }

    private String escaped(String value) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < value.length(); at++) {
            char c = value.charAt(at);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\b' -> text.append("\\b");
                case '\f' -> text.append("\\f");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                case '\u000b' -> text.append("\\v");
                default -> {
                    if (c == delimiter) {
                        text.append('\\');
                    }
                    text.append(c);
                }
            }
        }
        return text.toString();
    }
}
