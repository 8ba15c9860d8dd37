package petrichor.bench.stores;

import java.util.Locale;

/** Formats numbers for people: three significant digits, thousands with commas. */
final class Figures {
    private Figures() {}

    static String text(double figure) {
        if (figure >= 100) {
            return String.format(Locale.ROOT, "%,.0f", figure);
        }
        if (figure >= 10) {
            return String.format(Locale.ROOT, "%.1f", figure);
        }
        return String.format(Locale.ROOT, figure >= 1 ? "%.2f" : "%.3f", figure);
    }

    /** For an axis: 0.1, 1, 10, 1k, 1M. */
    static String brief(double figure) {
        if (figure >= 1e6) {
            return trimmed(figure / 1e6) + "M";
        }
        return figure >= 1e3 ? trimmed(figure / 1e3) + "k" : trimmed(figure);
    }

    private static String trimmed(double figure) {
        String text = String.format(Locale.ROOT, "%.3f", figure);
        return text.replaceAll("\\.?0+$", "");
    }
}
