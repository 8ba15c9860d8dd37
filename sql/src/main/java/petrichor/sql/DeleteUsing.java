package petrichor.sql;

import java.util.List;

/** {@code DELETE … USING}, which the engine reads as a condition on the other tables' rows. */
final class DeleteUsing {
    private DeleteUsing() {}

    static String known(String text, List<SqlToken> tokens) {
        if (tokens.size() < 3 || !tokens.getFirst().word().equals("DELETE")) {
            return text;
        }
        int using = find(tokens, 2, "USING");
        int end = find(tokens, 2, "RETURNING");
        if (using < 0 || (end >= 0 && using > end)) {
            return text;
        }
        int last = tokens.get(end < 0 ? tokens.size() - 1 : end - 1).to();
        return text.substring(0, tokens.get(using).from())
                + "WHERE EXISTS (SELECT 1 FROM"
                + text.substring(tokens.get(using).to(), last)
                + ")"
                + text.substring(last);
    }

    private static int find(List<SqlToken> tokens, int from, String word) {
        for (int i = from; i < tokens.size(); i++) {
            if (tokens.get(i).depth() == 0 && tokens.get(i).word().equals(word)) {
                return i;
            }
        }
        return -1;
    }
}
