package petrichor.apps.builds;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * A folder per app: its layers, builds, downloads, logs and running builds. If apps have users of
 * their own, the group of an app's folder is the record of its id. Thread-safe.
 */
final class AppFolders {
    private static final int ENTER_BY_GROUP = 0710;

    private final Path folder;
    private final BuildUsers users;
    private final CacheUses uses;
    private final TimeSource time;
    private final Map<String, AppFolder> open = new HashMap<>();

    AppFolders(Path folder, BuildUsers users, CacheUses uses, TimeSource time) {
        this.folder = folder;
        this.users = users;
        this.uses = uses;
        this.time = time;
    }

    /**
     * One app's folder.
     *
     * @param user as which its builds run; null for the server's user
     */
    record AppFolder(Path folder, @Nullable BuildUser user, TreeStore layers, TreeStore builds) {
        static final String LAYERS = "layers";
        static final String BUILDS = "builds";
        static final String DOWNLOADS = "downloads";
        static final String LOGS = "logs";
        static final String WORK = "work";

        Path downloads() {
            return folder.resolve(DOWNLOADS);
        }

        Path logs() {
            return folder.resolve(LOGS);
        }

        Path work() {
            return folder.resolve(WORK);
        }
    }

    /** The app's folder, which is created if it does not exist. */
    synchronized AppFolder of(String app) throws IOException {
        AppFolder known = open.get(app);
        if (known != null) {
            return known;
        }
        Path ofApp = folder.resolve(app);
        BuildUser user =
                switch (users) {
                    case BuildUsers.ServerUser _ -> null;
                    case BuildUsers.UserPerApp perApp -> user(ofApp, perApp);
                };
        Path _ = Files.createDirectories(ofApp);
        allow(ofApp, user);
        for (String part : new String[] {AppFolder.LAYERS, AppFolder.BUILDS, AppFolder.WORK}) {
            Path created = Files.createDirectories(ofApp.resolve(part));
            allow(created, user);
        }
        Path _ = FileTrees.folder(ofApp.resolve(AppFolder.LOGS), FileTrees.OWNER_ONLY, null);
        AppFolder created =
                new AppFolder(
                        ofApp,
                        user,
                        new TreeStore(ofApp.resolve(AppFolder.LAYERS), uses, time),
                        new TreeStore(ofApp.resolve(AppFolder.BUILDS), uses, time));
        open.put(app, created);
        return created;
    }

    private static void allow(Path folder, @Nullable BuildUser user) throws IOException {
        if (user == null) {
            FileTrees.setMode(folder, FileTrees.OWNER_ONLY);
        } else {
            FileTrees.setOwner(folder, 0, user.gid());
            FileTrees.setMode(folder, ENTER_BY_GROUP);
        }
    }

    /** The id that the app has, or the smallest one that no app has. */
    private BuildUser user(Path ofApp, BuildUsers.UserPerApp range) throws IOException {
        Set<Integer> taken = new HashSet<>();
        try (Stream<Path> apps = Files.list(folder)) {
            for (Path app : (Iterable<Path>) apps::iterator) {
                int gid = (int) Files.getAttribute(app, "unix:gid", NOFOLLOW_LINKS);
                boolean inRange = gid >= range.firstId() && gid - range.firstId() < range.ids();
                if (app.equals(ofApp) && inRange) {
                    return new BuildUser(gid, gid);
                }
                boolean _ = taken.add(gid);
            }
        }
        for (int id = range.firstId(); id - range.firstId() < range.ids(); id++) {
            if (!taken.contains(id)) {
                return new BuildUser(id, id);
            }
        }
        throw PetrichorException.of(
                ErrorCode.RESOURCE_EXHAUSTED,
                "all {ids} user ids for builds are taken: delete apps, or configure a larger range",
                "ids",
                range.ids());
    }

    /** Ends the app's entry; its folder is the caller's to delete. */
    synchronized Path forget(String app) {
        AppFolder _ = open.remove(app);
        return folder.resolve(app);
    }
}
