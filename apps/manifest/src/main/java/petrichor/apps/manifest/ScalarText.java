package petrichor.apps.manifest;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import petrichor.yaml.YamlScalar;

/**
 * The text that App Engine's tools make of a value of {@code env_variables}. They read it as YAML
 * 1.1 into a Python object and write that as text: {@code true} becomes {@code True}, {@code 0123}
 * becomes {@code 83}, {@code 1:30} becomes {@code 90}. Apps depend on the result. Dates stay as
 * they are written.
 */
final class ScalarText {
    private static final Set<String> YES =
            Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> NO =
            Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Pattern BINARY = Pattern.compile("[-+]?0b[01_]+");
    private static final Pattern HEXADECIMAL = Pattern.compile("[-+]?0x[0-9a-fA-F_]+");
    private static final Pattern OCTAL = Pattern.compile("[-+]?0[0-7_]+");
    private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9_]*)");
    private static final Pattern SEXAGESIMAL = Pattern.compile("[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+");
    private static final Pattern FLOAT =
            Pattern.compile(
                    "[-+]?[0-9][0-9_]*\\.[0-9_]*([eE][-+]?[0-9]+)?"
                            + "|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
                            + "|\\.[0-9][0-9_]*([eE][-+][0-9]+)?");
    private static final Pattern INFINITE = Pattern.compile("[-+]?\\.(inf|Inf|INF)");
    private static final Pattern NOT_A_NUMBER = Pattern.compile("\\.(nan|NaN|NAN)");

    /** Longer numbers stay as they are written: reading them takes quadratic time. */
    private static final int NUMBER_CHARACTERS_MAX = 100;

    private static final int BINARY_BASE = 2;
    private static final int OCTAL_BASE = 8;
    private static final int DECIMAL_BASE = 10;
    private static final int HEXADECIMAL_BASE = 16;
    private static final int SEXAGESIMAL_BASE = 60;

    /** Python writes numbers from 1e16 and below 1e-4 with an exponent. */
    private static final int EXPONENT_MIN = -4;

    private static final int EXPONENT_MAX = 16;

    private ScalarText() {}

    static String of(YamlScalar scalar) {
        String text = scalar.text();
        if (!scalar.plain()) {
            return text;
        }
        if (scalar.isNull()) {
            return "";
        }
        if (YES.contains(text)) {
            return "True";
        }
        if (NO.contains(text)) {
            return "False";
        }
        return text.length() > NUMBER_CHARACTERS_MAX ? text : number(text);
    }

    private static String number(String text) {
        String digits = text.replace("_", "").replace("+", "");
        if (BINARY.matcher(text).matches()) {
            return integer(digits.replace("0b", ""), BINARY_BASE, text);
        }
        if (HEXADECIMAL.matcher(text).matches()) {
            return integer(digits.replace("0x", ""), HEXADECIMAL_BASE, text);
        }
        if (OCTAL.matcher(text).matches()) {
            return integer(digits, OCTAL_BASE, text);
        }
        if (INTEGER.matcher(text).matches()) {
            return integer(digits, DECIMAL_BASE, text);
        }
        if (SEXAGESIMAL.matcher(text).matches()) {
            return sexagesimal(digits);
        }
        if (FLOAT.matcher(text).matches()) {
            return python(Double.parseDouble(text.replace("_", "")));
        }
        if (INFINITE.matcher(text).matches()) {
            return text.startsWith("-") ? "-inf" : "inf";
        }
        return NOT_A_NUMBER.matcher(text).matches() ? "nan" : text;
    }

    /** Underscores alone are not digits. */
    private static String integer(String digits, int base, String written) {
        return digits.isEmpty() || digits.equals("-")
                ? written
                : new BigInteger(digits, base).toString();
    }

    private static String sexagesimal(String digits) {
        boolean negative = digits.startsWith("-");
        BigInteger sum = BigInteger.ZERO;
        for (String part : (negative ? digits.substring(1) : digits).split(":", -1)) {
            sum = sum.multiply(BigInteger.valueOf(SEXAGESIMAL_BASE)).add(new BigInteger(part));
        }
        return (negative ? sum.negate() : sum).toString();
    }

    /** The shortest text that Python reads as the same number. */
    private static String python(double number) {
        if (Double.isInfinite(number)) {
            return number < 0 ? "-inf" : "inf";
        }
        if (number == 0) {
            return 1 / number < 0 ? "-0.0" : "0.0";
        }
        BigDecimal shortest = new BigDecimal(Double.toString(number)).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        if (exponent >= EXPONENT_MIN && exponent < EXPONENT_MAX) {
            String plain = shortest.toPlainString();
            return plain.contains(".") ? plain : plain + ".0";
        }
        String digits = shortest.unscaledValue().abs().toString();
        return (number < 0 ? "-" : "")
                + digits.charAt(0)
                + (digits.length() == 1 ? "" : "." + digits.substring(1))
                + String.format(
                        Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
