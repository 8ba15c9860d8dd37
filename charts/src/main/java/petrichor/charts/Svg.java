package petrichor.charts;

import java.util.Locale;

/**
 * Builds an SVG drawing on a white background, from its first element to its last; lengths are in
 * the units of its view box. Text is escaped.
 */
public final class Svg {
    private final StringBuilder elements = new StringBuilder();
    private final int fontSize;
    private final int width;

    public Svg(int width, int fontSize) {
        this.width = width;
        this.fontSize = fontSize;
    }

    public int width() {
        return width;
    }

    /** Which point of a text is at its x. */
    public enum Anchor {
        START,
        MIDDLE,
        END
    }

    public Svg text(double x, double y, String text) {
        return text(x, y, Anchor.START, text);
    }

    public Svg text(double x, double y, Anchor anchor, String text) {
        String where =
                anchor == Anchor.START
                        ? ""
                        : " text-anchor=\"" + anchor.name().toLowerCase(Locale.ROOT) + '"';
        return add("<text %s%s>%s</text>", at(x, y), where, escaped(text));
    }

    public Svg text(double x, double y, String colour, String text) {
        return add("<text %s fill=\"%s\">%s</text>", at(x, y), colour, escaped(text));
    }

    /** The title at the top of the drawing. */
    public Svg title(int x, String text) {
        return add(
                "<text %s font-size=\"%d\" font-weight=\"bold\">%s</text>",
                at(x, fontSize + 6), fontSize + 1, escaped(text));
    }

    public Svg box(double x, double y, double width, double height, String colour) {
        return add(
                "<rect %s width=\"%s\" height=\"%s\" fill=\"%s\"/>",
                at(x, y), number(width), number(height), colour);
    }

    public Svg frame(double x, double y, double width, double height) {
        return add(
                "<rect %s width=\"%s\" height=\"%s\" fill=\"none\" stroke=\"#999\"/>",
                at(x, y), number(width), number(height));
    }

    public Svg dot(double x, double y, String colour) {
        return add(
                "<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>", number(x), number(y), colour);
    }

    public Svg line(double x1, double y1, double x2, double y2, String colour, double width) {
        return add(
                "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\" stroke-width=\"%s\"/>",
                number(x1), number(y1), number(x2), number(y2), colour, number(width));
    }

    public Svg path(Path path, String colour, double width) {
        return add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>",
                path.points.toString().strip(), colour, number(width));
    }

    /** The points of a line under construction. */
    public static final class Path {
        private final StringBuilder points = new StringBuilder();

        public void to(double x, double y) {
            points.append(number(x)).append(',').append(number(y)).append(' ');
        }
    }

    /** The complete drawing. */
    public String drawn(int height) {
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                                + " font-family=\"sans-serif\" font-size=\"%d\">%n",
                        width,
                        height,
                        fontSize)
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                + elements
                + "</svg>\n";
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private Svg add(String format, Object... values) {
        elements.append(String.format(Locale.ROOT, format, values)).append('\n');
        return this;
    }

    private static String at(double x, double y) {
        return "x=\"" + number(x) + "\" y=\"" + number(y) + '"';
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.valueOf((long) value)
                : String.format(Locale.ROOT, "%.1f", value);
    }

    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
