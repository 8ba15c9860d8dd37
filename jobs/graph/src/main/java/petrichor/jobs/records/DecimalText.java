package petrichor.jobs.records;

import java.nio.charset.StandardCharsets;
import petrichor.base.PetrichorException;

/**
 * Parses numbers from text, digit by digit, without allocation. An invalid number fails with its
 * text. Stateless.
 */
final class DecimalText {
    /**
     * Up to here a double represents every integer, and a division by a power of ten is exact to
     * one bit.
     */
    private static final long EXACT_MAX = 1L << 53;

    /** Powers of ten up to this are exact as doubles. */
    private static final int EXACT_POWERS = 22;

    private static final long POINTS = Words.pattern('.');

    private static final double[] POWERS = new double[EXACT_POWERS + 1];

    static {
        POWERS[0] = 1;
        for (int i = 1; i <= EXACT_POWERS; i++) {
            POWERS[i] = POWERS[i - 1] * 10;
        }
    }

    private DecimalText() {}

    static long int64(Slice text) {
        int length = text.length();
        if (length > 0 && length <= Long.BYTES) {
            long value = Digits.value(Words.tail(text.base(), text.at(), length), length);
            if (value != Digits.NONE) {
                return value;
            }
        }
        return decimal(text, 0);
    }

    static long decimal(Slice text, int scale) {
        byte[] base = text.base();
        int at = text.at();
        int end = at + text.length();
        boolean negative = at < end && base[at] == '-';
        if (at < end && (base[at] == '-' || base[at] == '+')) {
            at++;
        }
        long value = 0;
        int digits = 0;
        int behindPoint = -1;
        for (; at < end; at++) {
            int digit = base[at] - '0';
            if (digit >= 0 && digit <= 9) {
                // Counts downwards, so that the smallest long is a number too.
                long next = value * 10 - digit;
                if (value < Long.MIN_VALUE / 10 || next > value) {
                    throw noNumber(text, "a number of 64 bits");
                }
                value = next;
                digits++;
                behindPoint += behindPoint >= 0 ? 1 : 0;
            } else if (base[at] == '.' && behindPoint < 0 && scale > 0) {
                behindPoint = 0;
            } else {
                throw noNumber(text, scale == 0 ? "a whole number" : "a decimal number");
            }
        }
        int behind = Math.max(behindPoint, 0);
        if (digits == 0 || behind > scale) {
            throw noNumber(
                    text,
                    digits == 0
                            ? "a number"
                            : "a number with at most " + scale + " decimal places");
        }
        for (; behind < scale; behind++) {
            if (value < Long.MIN_VALUE / 10) {
                throw noNumber(text, "a number of 64 bits");
            }
            value *= 10;
        }
        if (negative) {
            return value;
        }
        if (value == Long.MIN_VALUE) {
            throw noNumber(text, "a number of 64 bits");
        }
        return -value;
    }

    static double float64(Slice text) {
        int length = text.length();
        if (length > 0 && length <= Long.BYTES) {
            long word = Words.tail(text.base(), text.at(), length);
            int point = Words.first(Words.matches(word, POINTS));
            if (point >= length) {
                long value = Digits.value(word, length);
                if (value != Digits.NONE) {
                    return value;
                }
            } else if (length > 1) {
                long value = Digits.value(Digits.without(word, point), length - 1);
                if (value != Digits.NONE) {
                    return value / POWERS[length - 1 - point];
                }
            }
        }
        return digitByDigit(text);
    }

    private static double digitByDigit(Slice text) {
        byte[] base = text.base();
        int at = text.at();
        int end = at + text.length();
        boolean negative = at < end && base[at] == '-';
        if (at < end && (base[at] == '-' || base[at] == '+')) {
            at++;
        }
        long value = 0;
        int digits = 0;
        int behindPoint = -1;
        for (; at < end && value < EXACT_MAX / 16; at++) {
            int digit = base[at] - '0';
            if (digit >= 0 && digit <= 9) {
                value = value * 10 + digit;
                digits++;
                behindPoint += behindPoint >= 0 ? 1 : 0;
            } else if (base[at] == '.' && behindPoint < 0) {
                behindPoint = 0;
            } else {
                break;
            }
        }
        if (at < end || digits == 0 || behindPoint > EXACT_POWERS) {
            return slow(text);
        }
        double result = behindPoint > 0 ? value / POWERS[behindPoint] : value;
        return negative ? -result : result;
    }

    /** Exponents, many digits, infinities: parsed by the JDK. */
    private static double slow(Slice text) {
        try {
            return Double.parseDouble(
                    new String(text.base(), text.at(), text.length(), StandardCharsets.ISO_8859_1));
        } catch (NumberFormatException e) {
            throw noNumber(text, "a number");
        }
    }

    private static PetrichorException noNumber(Slice text, String wanted) {
        String shown =
                text.length() > 40 ? text.toString().substring(0, 40) + "…" : text.toString();
        return PetrichorException.invalid("'{text}' is not {form}", "text", shown, "form", wanted);
    }
}
