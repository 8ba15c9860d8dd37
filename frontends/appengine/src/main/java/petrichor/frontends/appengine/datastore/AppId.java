package petrichor.frontends.appengine.datastore;

import petrichor.frontends.appengine.CallingApp;

/**
 * The calling app, as its messages name it: with a partition prefix such as {@code s~} or {@code
 * dev~}, which responses must repeat. Entities are stored under the project, without the prefix.
 */
record AppId(String text, String project) {
    /** BAD_REQUEST if the name denotes another app. */
    static AppId of(CallingApp app, String text) {
        if (!withoutPartition(text).equals(app.project())) {
            throw V3Error.badRequest(
                    "app \"" + app.project() + "\" cannot access app \"" + text + "\"'s data");
        }
        return new AppId(text, app.project());
    }

    static String withoutPartition(String id) {
        return id.substring(id.lastIndexOf('~') + 1);
    }

    /** The project of an app that a value names; other apps keep their prefix. */
    String projectOf(String id) {
        return withoutPartition(id).equals(project) ? project : id;
    }

    /** The inverse of {@link #projectOf}. */
    String idOf(String otherProject) {
        return otherProject.equals(project) ? text : otherProject;
    }
}
