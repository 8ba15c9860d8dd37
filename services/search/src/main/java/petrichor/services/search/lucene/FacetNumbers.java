package petrichor.services.search.lucene;

import java.math.BigDecimal;

/** Numbers in labels of facets, written as the SDKs write them. */
final class FacetNumbers {
    private FacetNumbers() {}

    /** The shortest decimal, with a fraction: {@code 5.0}. */
    static String text(double number) {
        if (!Double.isFinite(number)) {
            return number > 0 ? "Infinity" : "-Infinity";
        }
        String plain = new BigDecimal(Double.toString(number)).toPlainString();
        return plain.indexOf('.') < 0 ? plain + ".0" : plain;
    }
}
