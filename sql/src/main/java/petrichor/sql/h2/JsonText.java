package petrichor.sql.h2;

/** A parameter that is the text of a JSON value, in contrast to a JSON string with that text. */
public record JsonText(String text) {}
