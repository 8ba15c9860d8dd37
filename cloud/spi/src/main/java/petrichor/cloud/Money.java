package petrichor.cloud;

import java.math.BigDecimal;
import java.math.RoundingMode;
import petrichor.base.PetrichorException;

/**
 * An amount in millionths of a dollar: hourly prices of small machines need four decimal places.
 */
public record Money(long micros) implements Comparable<Money> {
    public static final Money ZERO = new Money(0);

    private static final int DIGITS = 6;

    /** Parses an amount such as {@code "0.80"}, with at most six decimal places. */
    public static Money parse(String dollars) {
        try {
            return new Money(
                    new BigDecimal(dollars.strip()).movePointRight(DIGITS).longValueExact());
        } catch (ArithmeticException | NumberFormatException e) {
            throw PetrichorException.invalid(
                    "'{dollars}' is not an amount in dollars with at most six decimal places",
                    "dollars",
                    dollars);
        }
    }

    public Money plus(Money other) {
        return new Money(Math.addExact(micros, other.micros));
    }

    public Money minus(Money other) {
        return new Money(Math.subtractExact(micros, other.micros));
    }

    public Money times(long factor) {
        return new Money(Math.multiplyExact(micros, factor));
    }

    /** The share {@code part/whole} of the amount, rounded up. */
    public Money share(long part, long whole) {
        return new Money(
                BigDecimal.valueOf(micros)
                        .multiply(BigDecimal.valueOf(part))
                        .divide(BigDecimal.valueOf(whole), 0, RoundingMode.CEILING)
                        .longValueExact());
    }

    public double dollars() {
        return micros / 1e6;
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(micros, other.micros);
    }

    /** Such as {@code $0.80}, with two decimal places or as many as needed. */
    @Override
    public String toString() {
        BigDecimal exact = BigDecimal.valueOf(micros, DIGITS).stripTrailingZeros();
        BigDecimal shown = exact.scale() < 2 ? exact.setScale(2) : exact;
        return (micros < 0 ? "-$" : "$") + shown.abs().toPlainString();
    }
}
