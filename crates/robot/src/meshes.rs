//! Finds the mesh files that a URDF names.

use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use urdf_ik_text::names::short;

/// The environment variable that names the prefixes of the ament index.
const PREFIXES: &str = "AMENT_PREFIX_PATH";

/// Search path for mesh files.
///
/// `package://NAME/REST` is searched in a folder NAME of the [folders of packages](Self::with_packages_in), then in
/// the package NAME of the ament index, then in a folder NAME beside the URDF file or beside a folder above it.
/// `file://PATH` is that file, and a path without a scheme is relative to the folder of the URDF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshFolders {
    /// Folders of packages.
    packages: Vec<PathBuf>,
    /// Prefixes of the ament index; the first that has a package counts.
    prefixes: Vec<PathBuf>,
    /// The folder of the URDF file, and all folders above it.
    folders: Vec<PathBuf>,
}

/// A mesh file that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("mesh {} was not found: {}", short(mesh), self.reason())]
pub struct MeshNotFound {
    /// Name of the mesh in the URDF.
    pub mesh: String,
    /// The candidate files, in the order of the search.
    pub places: Vec<PathBuf>,
}

impl MeshNotFound {
    /// Why the mesh was not found, as part of a sentence.
    pub fn reason(&self) -> &'static str {
        match (self.mesh.starts_with("package://"), self.places.is_empty()) {
            (_, false) => "none of the files that it could be exists",
            (true, true) => "AMENT_PREFIX_PATH names no workspace with that package",
            (false, true) => "only package://, file:// and paths beside a URDF file are looked for",
        }
    }
}

impl MeshFolders {
    /// A search path of these `prefixes` of the ament index and, if the URDF is from a file, the folders of
    /// `urdf_file`: its own and all above it.
    pub fn new(prefixes: impl IntoIterator<Item = PathBuf>, urdf_file: Option<&Path>) -> Self {
        let absolute = urdf_file.and_then(|file| std::path::absolute(file).ok());
        let folders = absolute.iter().flat_map(|file| file.ancestors().skip(1)).map(Path::to_path_buf);
        Self { packages: Vec::new(), prefixes: prefixes.into_iter().collect(), folders: folders.collect() }
    }

    /// A search path of the absolute prefixes in the environment variable `AMENT_PREFIX_PATH` and, if the URDF is from
    /// a file, the folders of `urdf_file`: its own and all above it.
    pub fn from_environment(urdf_file: Option<&Path>) -> Self {
        let prefixes = std::env::var_os(PREFIXES).unwrap_or_default();
        Self::new(std::env::split_paths(&prefixes).filter(|prefix| prefix.is_absolute()), urdf_file)
    }

    /// Sets the folders of packages, such as the `src` of a ROS workspace. They are searched first.
    #[must_use]
    pub fn with_packages_in(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { packages: folders.into_iter().collect(), ..self }
    }

    /// Path of the file for the mesh name `mesh` in a URDF.
    ///
    /// # Errors
    /// [`MeshNotFound`] with the candidate files, if none exists.
    pub fn find(&self, mesh: &str) -> Result<PathBuf, MeshNotFound> {
        let places = self.places(mesh);
        let found = places.iter().find(|place| place.is_file()).cloned();
        found.ok_or_else(|| MeshNotFound { mesh: mesh.to_owned(), places })
    }

    /// The files that a mesh can be, the likeliest first.
    fn places(&self, mesh: &str) -> Vec<PathBuf> {
        if let Some(rest) = mesh.strip_prefix("package://") {
            return rest.split_once('/').map(|(name, file)| self.in_package(name, file)).unwrap_or_default();
        }
        match mesh.strip_prefix("file://") {
            None if mesh.contains("://") => Vec::new(),
            path => self.beside(path.unwrap_or(mesh)),
        }
    }

    fn in_package(&self, name: &str, file: &str) -> Vec<PathBuf> {
        // A package cannot be "..", which would lead out of its folder.
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) || name.is_empty() {
            return Vec::new();
        }
        // Joined xacro arguments leave two slashes, and a path from the root would take the place of the folder.
        let file = file.trim_start_matches('/');
        let index = Path::new("share/ament_index/resource_index/packages").join(name);
        let prefix = self.prefixes.iter().find(|prefix| prefix.join(&index).exists());
        let shared = prefix.map(|prefix| prefix.join("share"));
        self.packages.iter().chain(&shared).chain(&self.folders).map(|folder| folder.join(name).join(file)).collect()
    }

    /// A path, which may be relative to the URDF file.
    fn beside(&self, path: &str) -> Vec<PathBuf> {
        let path = Path::new(path);
        match self.folders.first() {
            _ if path.is_absolute() => vec![path.to_path_buf()],
            Some(folder) => vec![folder.join(path)],
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with an installed package `arm`, and with sources in which `robot/urdf/robot.urdf` has `arm` and
    /// `robot` as neighbours.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("urdf_ik_meshes_{}_{test}", std::process::id()));
        for file in [
            "install/share/ament_index/resource_index/packages/arm",
            "install/share/arm/meshes/installed.stl",
            "src/arm/meshes/installed.stl",
            "src/arm/meshes/source.stl",
            "src/robot/urdf/robot.urdf",
            "src/robot/urdf/near.stl",
            "src/robot/meshes/own.stl",
        ] {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        folder
    }

    #[test]
    fn each_kind_of_name_is_found() {
        let root = folder("found");
        let folders =
            MeshFolders::new([root.join("other"), root.join("install")], Some(&root.join("src/robot/urdf/robot.urdf")));
        let absolute = root.join("src/robot/meshes/own.stl");
        for (mesh, file) in [
            ("package://arm/meshes/installed.stl", "install/share/arm/meshes/installed.stl"),
            ("package://arm/meshes/source.stl", "src/arm/meshes/source.stl"),
            ("package://robot/meshes/own.stl", "src/robot/meshes/own.stl"),
            ("package://robot//meshes///own.stl", "src/robot/meshes/own.stl"),
            ("near.stl", "src/robot/urdf/near.stl"),
            ("../meshes/own.stl", "src/robot/urdf/../meshes/own.stl"),
            (absolute.to_str().unwrap(), "src/robot/meshes/own.stl"),
            (&format!("file://{}", absolute.display()), "src/robot/meshes/own.stl"),
        ] {
            assert_eq!(folders.find(mesh), Ok(root.join(file)), "{mesh}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn folders_of_packages_come_first() {
        let root = folder("packages");
        let folders =
            MeshFolders::new([root.join("install")], None).with_packages_in([root.join("other"), root.join("src")]);
        let mesh = "package://arm/meshes/installed.stl";
        assert_eq!(folders.find(mesh), Ok(root.join("src/arm/meshes/installed.stl")));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_is_missing_says_where_it_was_looked_for() {
        let root = folder("missing");
        let folders = MeshFolders::new([root.join("install")], None);
        let missing = folders.find("package://arm/meshes/source.stl").unwrap_err();
        assert_eq!(missing.places, [root.join("install/share/arm/meshes/source.stl")]);
        for (mesh, reason) in [
            ("package://nobody/a.stl", "AMENT_PREFIX_PATH names no workspace with that package"),
            ("package://../arm/a.stl", "AMENT_PREFIX_PATH names no workspace with that package"),
            ("package://", "AMENT_PREFIX_PATH names no workspace with that package"),
            ("http://host/a.stl", "only package://"),
            ("near.stl", "only package://"),
            ("", "only package://"),
            ("file://near\0.stl", "only package://"),
        ] {
            let sentence = folders.find(mesh).unwrap_err().to_string();
            assert!(sentence.contains(reason), "{sentence}");
        }
        // A folder is no mesh, and a name with a zero byte is no file.
        let beside = MeshFolders::new([], Some(&root.join("src/robot/urdf/robot.urdf")));
        for mesh in ["package://arm/meshes", "a\0b", "package://arm/a\0b"] {
            assert!(!beside.find(mesh).unwrap_err().places.is_empty(), "{mesh:?}");
        }
        fs::remove_dir_all(root).unwrap();
    }
}
