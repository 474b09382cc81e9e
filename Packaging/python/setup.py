"""Says which wheel is made: for one kind of machine where the library is within, else for all that have it installed."""

import pathlib

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution

has_library = pathlib.Path(__file__).with_name("keyfob").joinpath("libkeyfob.so.1").exists()


class Wheel(bdist_wheel):
    """It is for every Python: the library is reached by ctypes."""

    def get_tag(self):
        *_, platform = super().get_tag()
        return "py3", "none", platform


class WithLibrary(Distribution):
    """What has a library within is not for all machines."""

    def has_ext_modules(self):
        return has_library


setup(cmdclass={"bdist_wheel": Wheel}, distclass=WithLibrary)
