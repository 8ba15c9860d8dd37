package petrichor.sql.h2;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ByteText;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/** PostgreSQL's functions of texts with formats, patterns and encodings; called by H2. */
public final class TextFunctions {
    /** Longest text of {@code format} and {@code repeat}-like results, in characters. */
    private static final int WIDTH_MAX = 1_000_000;

    private TextFunctions() {}

    private static SqlException invalid(String message) {
        return new SqlException(SqlState.INVALID_PARAMETER, message);
    }

    // ── format ─────────────────────────────────────────────────────────────

    /** {@code %s}, {@code %I}, {@code %L} and {@code %%}, with positions, widths and {@code -}. */
    public static @Nullable String format(@Nullable String pattern, Value... values) {
        if (pattern == null) {
            return null;
        }
        Matcher part =
                Pattern.compile("%(?:%|(?:(\\d+)\\$)?(-?)(\\d*|\\*)([sIL]))").matcher(pattern);
        StringBuilder text = new StringBuilder();
        int at = 0;
        int next = 0;
        for (int percent = pattern.indexOf('%'); percent >= 0; percent = pattern.indexOf('%', at)) {
            if (!part.find(percent) || part.start() != percent) {
                throw invalid("unrecognized or unterminated format() type specifier");
            }
            text.append(pattern, at, percent);
            at = part.end();
            if (part.group(4) == null) {
                text.append('%');
                continue;
            }
            int width = 0;
            boolean left = !part.group(2).isEmpty();
            if (part.group(3).equals("*")) {
                int given = argument(values, next++).getInt();
                left |= given < 0;
                width = Math.abs(given);
            } else if (!part.group(3).isEmpty()) {
                width = number(part.group(3));
            }
            int position = part.group(1) == null ? next : number(part.group(1)) - 1;
            next = position + 1;
            String value = formatted(argument(values, position), part.group(4));
            padded(text, value, width, left);
        }
        return text.append(pattern, at, pattern.length()).toString();
    }

    private static int number(String digits) {
        return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
    }

    private static Value argument(Value[] values, int position) {
        if (position < 0) {
            throw invalid("format specifies argument 0, but arguments are numbered from 1");
        }
        if (position >= values.length) {
            throw invalid("too few arguments for format()");
        }
        return values[position];
    }

    private static String formatted(Value value, String type) {
        if (type.equals("L")) {
            return ScalarFunctions.quoteNullable(value);
        }
        String text = value.getString();
        if (type.equals("s")) {
            return text == null ? "" : text;
        }
        String quoted = ScalarFunctions.quoteIdent(text);
        if (quoted == null) {
            throw new SqlException("22004", "null values cannot be formatted as an SQL identifier");
        }
        return quoted;
    }

    private static void padded(StringBuilder text, String value, int width, boolean left) {
        if (width > WIDTH_MAX) {
            throw invalid("a width in format() is at most " + WIDTH_MAX);
        }
        String blanks = " ".repeat(Math.max(0, width - value.length()));
        text.append(left ? value : blanks).append(left ? blanks : value);
    }

    // ── patterns ───────────────────────────────────────────────────────────

    private static Pattern pattern(String regex, String flags) {
        int options = 0;
        for (int i = 0; i < flags.length(); i++) {
            options |=
                    switch (flags.charAt(i)) {
                        case 'i' -> Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
                        case 'n', 'm' -> Pattern.MULTILINE;
                        case 'x' -> Pattern.COMMENTS;
                        case 'q' -> Pattern.LITERAL;
                        case 'g', 'c', 'e', 's', 't' -> 0;
                        default ->
                                throw invalid(
                                        "invalid regular expression option: \""
                                                + flags.charAt(i)
                                                + "\"");
                    };
        }
        try {
            boolean dots = (options & Pattern.MULTILINE) == 0;
            return Pattern.compile(regex, options | (dots ? Pattern.DOTALL : 0));
        } catch (PatternSyntaxException broken) {
            throw new SqlException(
                    "2201B", "invalid regular expression: " + broken.getDescription(), broken);
        }
    }

    public static @Nullable String regexpReplace(
            @Nullable String text, @Nullable String regex, @Nullable String by) {
        return regexpReplace(text, regex, by, "");
    }

    /** Replaces the first match, or all with the flag {@code g}. */
    public static @Nullable String regexpReplace(
            @Nullable String text,
            @Nullable String regex,
            @Nullable String by,
            @Nullable String flags) {
        if (text == null || regex == null || by == null || flags == null) {
            return null;
        }
        Matcher match = pattern(regex, flags).matcher(text);
        StringBuilder replaced = new StringBuilder();
        int at = 0;
        while (match.find()) {
            replaced.append(text, at, match.start());
            at = match.end();
            expand(replaced, by, match);
            if (flags.indexOf('g') < 0) {
                break;
            }
        }
        return replaced.append(text, at, text.length()).toString();
    }

    private static void expand(StringBuilder text, String by, Matcher match) {
        for (int i = 0; i < by.length(); i++) {
            char c = by.charAt(i);
            char next = c == '\\' && i + 1 < by.length() ? by.charAt(i + 1) : 0;
            if (next == '&' || (next >= '0' && next <= '9')) {
                int group = next == '&' ? 0 : next - '0';
                String found = group <= match.groupCount() ? match.group(group) : null;
                text.append(found == null ? "" : found);
                i++;
            } else if (next == '\\') {
                text.append('\\');
                i++;
            } else {
                text.append(c);
            }
        }
    }

    public static @Nullable String @Nullable [] regexpMatch(
            @Nullable String text, @Nullable String regex) {
        return regexpMatch(text, regex, "");
    }

    /** The groups of the first match, or the match itself. */
    public static @Nullable String @Nullable [] regexpMatch(
            @Nullable String text, @Nullable String regex, @Nullable String flags) {
        if (text == null || regex == null || flags == null) {
            return null;
        }
        Matcher match = pattern(regex, flags).matcher(text);
        if (!match.find()) {
            return null;
        }
        int groups = match.groupCount();
        @Nullable String[] found = new @Nullable String[Math.max(1, groups)];
        for (int i = 0; i < found.length; i++) {
            found[i] = match.group(groups == 0 ? 0 : i + 1);
        }
        return found;
    }

    public static String @Nullable [] regexpSplit(@Nullable String text, @Nullable String regex) {
        return regexpSplit(text, regex, "");
    }

    public static String @Nullable [] regexpSplit(
            @Nullable String text, @Nullable String regex, @Nullable String flags) {
        if (text == null || regex == null || flags == null) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        Matcher match = pattern(regex, flags).matcher(text);
        int at = 0;
        while (match.find()) {
            boolean empty = match.end() == match.start();
            if (empty && (match.start() == at || match.start() == text.length())) {
                continue;
            }
            parts.add(text.substring(at, match.start()));
            at = match.end();
        }
        parts.add(text.substring(at));
        return parts.toArray(String[]::new);
    }

    public static @Nullable Integer regexpCount(@Nullable String text, @Nullable String regex) {
        if (text == null || regex == null) {
            return null;
        }
        return (int) pattern(regex, "").matcher(text).results().count();
    }

    public static @Nullable String regexpSubstring(@Nullable String text, @Nullable String regex) {
        @Nullable String[] found = regexpMatch(text, regex, "");
        return found == null ? null : found[0];
    }

    // ── LIKE with arrays ───────────────────────────────────────────────────

    /** Whether a text is like any, or all, of the patterns. */
    public static @Nullable Boolean like(
            @Nullable String text, Value patterns, boolean anyCase, boolean all, boolean not) {
        if (text == null || !(patterns instanceof ValueArray list)) {
            return null;
        }
        boolean unknown = false;
        for (Value pattern : list.getList()) {
            String written = pattern.getString();
            if (written == null) {
                unknown = true;
                continue;
            }
            boolean matches = likePattern(written, anyCase).matcher(text).matches() != not;
            if (matches != all) {
                return !all;
            }
        }
        return unknown ? null : (Boolean) all;
    }

    private static Pattern likePattern(String pattern, boolean anyCase) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\\' && i + 1 < pattern.length()) {
                i++;
                regex.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
            } else if (c == '%') {
                regex.append(".*");
            } else if (c == '_') {
                regex.append('.');
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        int options = anyCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
        return Pattern.compile(regex.toString(), options | Pattern.DOTALL);
    }

    // ── encodings ──────────────────────────────────────────────────────────

    public static @Nullable String encode(byte @Nullable [] bytes, @Nullable String format) {
        if (bytes == null || format == null) {
            return null;
        }
        return switch (format.toLowerCase(Locale.ROOT)) {
            case "hex" -> HexFormat.of().formatHex(bytes);
            case "base64" -> Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(bytes);
            case "escape" -> escaped(bytes);
            default -> throw invalid("unrecognized encoding: \"" + format + "\"");
        };
    }

    private static String escaped(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            int value = Byte.toUnsignedInt(b);
            if (value == 0 || value > 127) {
                text.append(String.format(Locale.ROOT, "\\%03o", value));
            } else {
                text.append(value == '\\' ? "\\\\" : String.valueOf((char) value));
            }
        }
        return text.toString();
    }

    public static byte @Nullable [] decode(@Nullable String text, @Nullable String format) {
        if (text == null || format == null) {
            return null;
        }
        try {
            return switch (format.toLowerCase(Locale.ROOT)) {
                case "hex" -> HexFormat.of().parseHex(text.replaceAll("\\s", ""));
                case "base64" -> Base64.getMimeDecoder().decode(text);
                case "escape" -> ByteText.parse(text);
                default -> throw invalid("unrecognized encoding: \"" + format + "\"");
            };
        } catch (IllegalArgumentException broken) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER, "invalid " + format + " data", broken);
        }
    }

    public static byte @Nullable [] sha256(byte @Nullable [] bytes)
            throws NoSuchAlgorithmException {
        return bytes == null ? null : MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    public static @Nullable String toHex(@Nullable Long number) {
        if (number == null) {
            return null;
        }
        boolean small = number >= Integer.MIN_VALUE && number < 0;
        return small ? Integer.toHexString(number.intValue()) : Long.toHexString(number);
    }

    public static byte @Nullable [] convertTo(@Nullable String text, @Nullable String charset) {
        return text == null || charset == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    // ── numbers ────────────────────────────────────────────────────────────

    public static @Nullable Integer scale(@Nullable BigDecimal number) {
        return number == null ? null : (Integer) Math.max(0, number.scale());
    }

    public static @Nullable Integer minScale(@Nullable BigDecimal number) {
        return number == null ? null : (Integer) Math.max(0, number.stripTrailingZeros().scale());
    }

    public static @Nullable BigDecimal trimScale(@Nullable BigDecimal number) {
        if (number == null) {
            return null;
        }
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    /** The bucket of a number among equal ones between two bounds. */
    public static @Nullable Integer widthBucket(
            @Nullable BigDecimal number,
            @Nullable BigDecimal from,
            @Nullable BigDecimal to,
            @Nullable Integer count) {
        if (number == null || from == null || to == null || count == null) {
            return null;
        }
        if (count <= 0 || from.compareTo(to) == 0) {
            throw new SqlException(
                    "2201G",
                    count <= 0
                            ? "count must be greater than zero"
                            : "lower bound cannot equal upper bound");
        }
        boolean falling = from.compareTo(to) > 0;
        BigDecimal offset = falling ? from.subtract(number) : number.subtract(from);
        BigDecimal range = from.subtract(to).abs();
        if (offset.signum() < 0) {
            return 0;
        }
        if (offset.compareTo(range) >= 0) {
            return count + 1;
        }
        return offset.multiply(BigDecimal.valueOf(count))
                        .divide(range, 0, java.math.RoundingMode.FLOOR)
                        .intValue()
                + 1;
    }
}
