package petrichor.cli.sql;

import org.jline.utils.WCWidth;

/** Text in the cells of a terminal. */
final class CellText {
    private CellText() {}

    /** One line: control characters would affect the terminal. */
    static String shown(String cell) {
        boolean plain = true;
        for (int i = 0; i < cell.length() && plain; i++) {
            plain = !Character.isISOControl(cell.charAt(i));
        }
        if (plain) {
            return cell;
        }
        StringBuilder text = new StringBuilder();
        cell.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '\n' -> text.append('↵');
                                case '\t' -> text.append(' ');
                                default ->
                                        text.appendCodePoint(Character.isISOControl(c) ? '·' : c);
                            }
                        });
        return text.toString();
    }

    /** Cells that the text takes in a terminal. */
    static int width(String text) {
        return width(text, 0, text.length());
    }

    static int width(String text, int from, int to) {
        return text.substring(from, to)
                .codePoints()
                .map(c -> Math.max(0, WCWidth.wcwidth(c)))
                .sum();
    }

    static String padded(String text, int width, boolean right) {
        String space = " ".repeat(Math.max(0, width - width(text)));
        return right ? space + text : text + space;
    }

    static String centred(String text, int width) {
        int space = Math.max(0, width - width(text));
        return " ".repeat(space / 2) + text + " ".repeat(space - space / 2);
    }
}
